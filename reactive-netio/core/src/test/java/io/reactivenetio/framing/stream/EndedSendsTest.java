// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import static io.reactivenetio.connection.StreamUnderTest.subscribe;
import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.connection.StreamUnderTest;
import io.reactivenetio.transport.SendCompletion;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.test.publisher.TestPublisher;

/** A send whose receiver cancels, as one does that takes as many messages as are sent. */
@Timeout(60)
class EndedSendsTest {
    private final StreamUnderTest connection = new StreamUnderTest(8, 10);

    @AfterEach
    void close() {
        connection.close();
    }

    /** How a send of three messages from another thread ends whose receiver cancels, before the loop hears what comes last. */
    private String endOf(Consumer<TestPublisher<ByteBuffer>> last) {
        connection.receive(0, 0, page -> subscribe(page, 1, 1, 4));
        TestPublisher<ByteBuffer> source = TestPublisher.create();
        List<String> end = new ArrayList<>();
        connection.session().send(1, source.flux(), SendCompletion.DELIVERED)
                .subscribe(nothing -> { }, error -> end.add(error.getMessage()), () -> end.add("complete"));
        connection.turn();
        for (int i = 0; i < 3; i++) {
            elsewhere(() -> source.next(ByteBuffer.allocate(8)));
            connection.turn();
        }
        assertThat(connection.sent()).containsExactly("DATA 1 8", "DATA 1 8", "DATA 1 8");
        elsewhere(() -> last.accept(source));
        connection.receive(0, 0, page -> page.cancel(1));
        assertThat(end).isEmpty(); // the peer may not have the messages yet
        connection.complete();
        for (String ping : connection.sent().stream().filter(frame -> frame.startsWith("PING")).toList()) {
            connection.receive(0, connection.controlsOut(), page -> page.pong(Long.parseLong(ping.substring(5))));
        }
        assertThat(connection.failures).isEmpty();
        return String.join(", ", end);
    }

    private static void elsewhere(Runnable task) {
        try {
            assertThat(Thread.ofPlatform().start(task).join(PATIENCE)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldCompleteASendThatHasEndedWhenItsReceiverCancels() {
        assertThat(endOf(TestPublisher::complete)).isEqualTo("complete");
    }

    @Test
    void shouldFailASendThatHasNotEndedWhenItsReceiverCancels() {
        assertThat(endOf(source -> { })).isEqualTo("the peer wants no more of stream 1 before the send was complete");
    }

    @Test
    void shouldFailASendOfWhichSomethingWaitsWhenItsReceiverCancels() {
        assertThat(endOf(source -> source.next(ByteBuffer.allocate(8)).complete()))
                .isEqualTo("the peer wants no more of stream 1 with 1 message not known to be delivered");
    }
}
