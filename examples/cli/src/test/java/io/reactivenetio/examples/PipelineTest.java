// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import static io.reactivenetio.examples.Coding.HITS;
import static io.reactivenetio.examples.Publishing.hits;
import static io.reactivenetio.examples.Receiving.sums;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.examples.Coding.Hit;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.test.NetioTestPair;
import io.reactivenetio.test.NetioTestPair.Side;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** The snippets of docs/guide.md about testing. */
@Timeout(60)
class PipelineTest {

    // guide
    @Test
    void shouldSumTheNumbersOfEachMessage() {
        try (NetioTestPair pair = NetioTestPair.inMemory()) { // or loopback()
            pair.server().send(Flux.just(message(1, 2), message(3, 4))).subscribe();
            StepVerifier.create(sums(pair.client()).take(2))
                    .expectNext(3L, 7L)
                    .verifyComplete();
        }
    }

    // guide
    @Test
    void shouldGoOnAfterTenMinutesWithoutANetwork() {
        Sinks.Many<Hit> detector = Sinks.many().multicast().directBestEffort();
        NetioPublisher publisher = NetioPublisher.create().publish(7, detector.asFlux(), HITS);
        try (NetioTestPair pair = NetioTestPair.builder().inMemory().publisher(publisher).open()) {
            StepVerifier.withVirtualTime(() -> hits(pair.newClient(), missed -> { }))
                    .then(() -> detector.tryEmitNext(new Hit(1, 0, (short) 10)))
                    .expectNextCount(1)
                    .then(pair::disconnect) // both ends are told
                    .then(pair::hold) // and nobody gets through
                    .thenAwait(Duration.ofMinutes(10))
                    .then(pair::resume)
                    .thenAwait(Duration.ofSeconds(10)) // the back-off is over by then
                    .then(() -> detector.tryEmitNext(new Hit(2, 0, (short) 10)))
                    .expectNextCount(1)
                    .thenCancel().verify();
        }
    }
    // guide end

    @Test
    void shouldNoticeThatTheServersHostHasVanished() {
        try (NetioTestPair pair = NetioTestPair.builder().inMemory()
                .configure(server -> server, client -> client.keepAlive(Duration.ofSeconds(3)))
                .open()) {
            StepVerifier.withVirtualTime(() -> sums(pair.client()))
                    .then(() -> pair.disconnect(Side.SERVER)) // the client is not told
                    .thenAwait(Duration.ofSeconds(4))
                    .verifyError(NetioAbortedException.class);
        }
    }

    private static ByteBuffer message(long... numbers) {
        ByteBuffer message = ByteBuffer.allocate(numbers.length * Long.BYTES);
        for (long number : numbers) {
            message.putLong(number);
        }
        return message.flip();
    }

    /** As the guide says of the first. */
    @Test
    void shouldDoOverLoopbackWhatItDoesInMemory() {
        try (NetioTestPair pair = NetioTestPair.loopback()) {
            pair.server().send(Flux.just(message(1, 2), message(3, 4))).subscribe(done -> { }, error -> { });
            assertThat(sums(pair.client()).take(2).collectList().block(Duration.ofSeconds(30))).containsExactly(3L, 7L);
        }
    }
}
