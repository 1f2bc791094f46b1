// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.connection.StreamUnderTest;
import io.reactivenetio.framing.stream.SharedMessage;
import io.reactivenetio.transport.backend.LogBudget;
import io.reactivenetio.wire.Handshake;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.test.publisher.TestPublisher;

/**
 * A subscriber hears that messages were dropped before it gets one that came after them, in the same page: a connection may end
 * behind every page.
 */
class DroppedBeforeTheNumberTest {
    private static final int QUEUE = 4;

    private final TestPublisher<Long> upstream = TestPublisher.createNoncompliant(TestPublisher.Violation.REQUEST_OVERFLOW);
    private final NetioPublisher publisher = NetioPublisher.create(SlowPolicy.DROP_OLDEST, QUEUE);
    private final HotSource<Long> source = new HotSource<>(Tags.of(7), upstream.flux(),
            n -> new SharedMessage(7, 0, ByteBuffer.allocate(8).putLong(0, n)), SlowPolicy.DROP_OLDEST, QUEUE, Long.MAX_VALUE,
            Long.MAX_VALUE, new PublisherCounters(LogBudget.of(NetioPublisher.class)), List.of());
    private final StreamUnderTest connection = new StreamUnderTest(8, 100, Handshake.RUNS);

    @AfterEach
    void close() {
        connection.close();
        publisher.dispose();
    }

    private void publish(int count) {
        for (long i = 0; i < count; i++) {
            upstream.next(i);
        }
    }

    /** The peer returns no credit for control frames, so that nothing can be said in a page of its own. */
    @Test
    void shouldSayBothInThePageOfTheMessage() {
        connection.session().serve((pattern, policy) -> new SubscriptionSource(publisher, List.of(source), pattern,
                SlowPolicy.DROP_OLDEST));
        for (int i = 1; i <= StreamUnderTest.CONTROLS; i++) {
            int stream = i;
            connection.receive(0, 0, page -> StreamUnderTest.subscribe(page, stream, 7, 0));
        }
        assertThat(connection.sent()).containsExactly("SUBSCRIBED 1 0", "SUBSCRIBED 2 0", "SUBSCRIBED 3 0");
        publish(QUEUE + 3);
        connection.turn();
        assertThat(connection.sent()).isEmpty();
        connection.receive(0, 0, page -> page.request(2, 2));
        assertThat(connection.sent()).startsWith("DROPPED 2 3", "SUBSCRIBED 2 3", "DATA 2 8", "DATA 2 8");
    }

    /** Those that are dropped between the last turn, which told of some, and the page. */
    @Test
    void shouldSayWhatWasDroppedInThisTurn() {
        connection.session().serve((pattern, policy) -> new SubscriptionSource(publisher, List.of(source), pattern,
                SlowPolicy.DROP_OLDEST));
        connection.receive(0, 0, page -> StreamUnderTest.subscribe(page, 1, 7, 0));
        publish(QUEUE + 2);
        connection.turn();
        assertThat(connection.sent()).containsExactly("SUBSCRIBED 1 0", "DROPPED 1 2");
        connection.receive(0, 0, page -> {
            publish(1);
            page.request(1, 2);
        });
        assertThat(connection.sent()).containsExactly("DROPPED 1 1", "SUBSCRIBED 1 3", "DATA 1 8", "DATA 1 8");
    }
}
