// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.ladder;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioCodec;
import io.reactivenetio.NetioServer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Reads two sources slower than they could send: one that can wait, and one that cannot. The first has a million numbers and
 * makes only those that it is asked for, so none is lost and nothing piles up. The second has a reading every millisecond. It
 * must say what happens to readings that nobody asks for, here {@code onBackpressureDrop}. Try {@code onBackpressureLatest}
 * there. Or try {@code prefetch(100)} on the client: the first source runs further ahead.
 */
public final class SlowConsumer {

    private SlowConsumer() {
    }

    // docs
    static Flux<Long> stored(Flux<Long> source, Duration time, int count) {
        var server = NetioServer.create().backend(Backend.chosen())
                .handle((in, out) -> out.send(source, NetioCodec.longs()).onErrorComplete()) // the reader has had enough
                .bindNow();
        return NetioClient.create().backend(Backend.chosen()).port(server.port()).connect()
                .flatMapMany(connection -> connection.receive(NetioCodec.longs())
                        .concatMap(n -> Mono.delay(time).thenReturn(n), 1) // stores one after the other
                        .take(count)
                        .doFinally(signal -> connection.dispose()))
                .doFinally(signal -> server.dispose());
    }

    /** Prints who waited, and what was dropped. */
    public static void main(String... args) {
        AtomicLong made = new AtomicLong();
        Flux<Long> patient = Flux.range(1, 1_000_000).map(Long::valueOf).doOnNext(made::set);
        stored(patient, Duration.ofMillis(5), 100).count()
                .doOnNext(count -> System.out.println("can wait: stored " + count + " numbers, made " + made + " of a million"))
                .block(Duration.ofSeconds(20));
        AtomicLong dropped = new AtomicLong();
        Flux<Long> detector = Flux.interval(Duration.ofMillis(1)).onBackpressureDrop(n -> dropped.incrementAndGet());
        stored(detector, Duration.ofMillis(20), 20).count()
                .doOnNext(count -> System.out.println("cannot wait: stored " + count + " readings, dropped " + dropped))
                .block(Duration.ofSeconds(20));
    }
    // docs end
}
