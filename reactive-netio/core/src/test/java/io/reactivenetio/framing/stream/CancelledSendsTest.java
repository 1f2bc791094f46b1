// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import static io.reactivenetio.connection.StreamUnderTest.subscribe;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.connection.StreamUnderTest;
import io.reactivenetio.transport.SendCompletion;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A peer that returns credits and answers no PING. What was cancelled here meanwhile must not be kept for its answer. */
@Timeout(60)
class CancelledSendsTest {
    private static final int MANY = 1_000;
    private static final int FEW = 100;

    private final StreamUnderTest connection = new StreamUnderTest(1, 10);

    @AfterEach
    void close() {
        connection.close();
    }

    private void assertFewAreKept(Mono<Void> waiting) {
        for (int i = 0; i < MANY; i++) {
            Disposable send = waiting.subscribe();
            connection.turn();
            connection.sent();
            connection.complete();
            connection.receive(0, connection.controlsOut(), page -> { });
            send.dispose();
            connection.turn();
        }
        assertThat(connection.session().awaitedAnswers()).isLessThan(FEW);
        assertThat(connection.failures).isEmpty();
    }

    @Test
    void shouldNotKeepSendsWithoutAnswer() {
        connection.receive(0, 0, page -> subscribe(page, 1, 1, Long.MAX_VALUE));
        assertFewAreKept(connection.session().send(1, Flux.<ByteBuffer>empty(), SendCompletion.DELIVERED));
        assertThat(connection.session().ports()).isOne();
    }

    @Test
    void shouldNotKeepTheEndOfAStreamWithoutAnswer() {
        connection.receive(0, 0, page -> page.request(0, 1));
        assertFewAreKept(connection.session().completeOutbound());
    }
}
