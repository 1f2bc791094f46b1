// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import reactor.core.publisher.Flux;

/** A server of {@link Little} that has little of something. */
final class LittleRoles {
    static final long NUMBERS = 7;
    static final long GREEDY = 8;
    private static final int BYTES = 1_024;
    private static final int QUEUE = 256;

    private LittleRoles() {
    }

    /** An encoder, which the loop calls, that asks for more memory than there can be. */
    private static final class Greedy implements NetioEncoder<Long> {
        @Override
        public int size(Long number) {
            return new byte[Integer.MAX_VALUE].length;
        }

        @Override
        public void encode(Long number, ByteBuffer target) {
            target.putLong(number);
        }
    }

    /** Plays it: {@code BACKEND}. The encoder of one tag runs out of memory. */
    static void serve(WorkerLines lines, List<String> arguments) throws InterruptedException {
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.DROP_OLDEST, QUEUE)
                .publishEach(Tags.of(NUMBERS), tag -> Flux.interval(Duration.ofMillis(1)).onBackpressureDrop()
                        .map(number -> ByteBuffer.allocate(BYTES).putLong(0, number)))
                .publishEach(Tags.of(GREEDY), tag -> Flux.interval(Duration.ofMillis(1)), new Greedy());
        DisposableServer server = publisher.serve(NetioServer.create().host("127.0.0.1")
                .backend(BackendType.valueOf(arguments.getFirst()))).bindNow();
        lines.say("ready", "port", server.port());
        lines.await("stop");
    }
}
