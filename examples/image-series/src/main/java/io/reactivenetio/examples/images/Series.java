// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.images;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.examples.images.SeriesMessage.End;
import io.reactivenetio.examples.images.SeriesMessage.Image;
import io.reactivenetio.examples.images.SeriesMessage.Start;
import java.util.concurrent.atomic.AtomicReference;
import reactor.core.publisher.Flux;

/** Both ends: a detector that serves its series, and the stream of a worker. */
final class Series {
    private Series() {
    }

    // docs
    static DisposableServer serve(NetioServer server, SharedSeries series) {
        return server.handle((in, out) -> out.send(series.worker())).bindNow();
    }

    /** What one worker gets, one message when it asks for one, so that none waits at a worker that is busy. */
    static Flux<SeriesMessage> worker(NetioClient client, int port) {
        return client.framing(Framing.stream().prefetch(0)).port(port).connect()
                .flatMapMany(connection -> connection.receive(SeriesCodec::decode).doFinally(signal -> connection.dispose()))
                .transformDeferred(Series::checked);
    }
    // docs end

    /** Fails where a message does not belong to the series that has begun: nothing may leak from one into the next. */
    static Flux<SeriesMessage> checked(Flux<SeriesMessage> messages) {
        AtomicReference<String> current = new AtomicReference<>("");
        return messages.doOnNext(message -> {
            String expected = switch (message) {
                case Start start -> current.getAndSet(start.uniqueId());
                case Image _ -> current.get();
                case End _ -> current.getAndSet("");
            };
            boolean belongs = message instanceof Start ? expected.isEmpty() : expected.equals(message.uniqueId());
            if (!belongs) {
                throw new IllegalStateException("a message of series " + message.uniqueId() + " within series " + expected);
            }
        });
    }
}
