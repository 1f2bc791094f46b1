// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioStream;
import java.nio.ByteBuffer;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The snippets of docs/guide.md about streams. */
final class Streaming {

    private Streaming() {
    }

    // guide
    static NetioServer detector(Flux<ByteBuffer> events) {
        return NetioServer.create()
                .handle((in, out) -> out.send(events)); // its end is the end of receive() there
    }

    // guide
    static Mono<Long> firstThousand(int port) {
        return NetioClient.create().port(port).connect()
                .flatMap(connection -> connection.receive()
                        .take(1_000) // asks the detector for so many, and cancels it then
                        .count()
                        .doFinally(signal -> connection.dispose()));
    }

    // guide
    static Mono<Void> serve(NetioConnection connection, Flux<ByteBuffer> events, Flux<ByteBuffer> temperatures) {
        NetioStream first = connection.stream(1);
        NetioStream second = connection.stream(2);
        return Mono.when(
                first.send(events).then(first.completeOutbound()),
                second.send(temperatures).then(second.completeOutbound()));
    }

    // guide
    static Flux<ByteBuffer> readTemperatures(NetioConnection connection) {
        return connection.stream(2).receive(); // subscribes at the other side; events that nobody asks for hold up nothing
    }

    // guide end

    static Flux<Long> workedOff(NetioConnection connection, Function<Long, Mono<Long>> work) {
        return connection.stream(2).prefetch(0).receive() // exact: what waits here could be worked on elsewhere
                .map(ByteBuffer::getLong)
                .concatMap(work);
    }
}
