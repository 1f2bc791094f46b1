// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.Tags;
import io.reactivenetio.loop.EventLoopConfig;
import io.reactivenetio.loop.SimulatedLoop;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each message of a run is received, dropped or missed, whatever a connection had no time to say. */
class GapDetectorTest {
    private static final long RUN = 5;

    private final SimulatedLoop simulated = new SimulatedLoop(EventLoopConfig.defaults(), () -> 1);
    private final ReceiveTally tally = new ReceiveTally();
    private final AtomicLong told = new AtomicLong();
    private final GapDetector position = new GapDetector(Tags.of(7), SubscriberHooks.NONE.andMissed(MissedRule.of(Duration.ZERO,
            missed -> told.addAndGet(missed.messages()))));

    @AfterEach
    void close() {
        simulated.loop().close();
        simulated.turn();
    }

    private GapDetector.Listener connect(long number) {
        GapDetector.Listener connection = position.new Listener(simulated.loop(), tally);
        connection.subscribed(number, RUN, 0);
        return connection;
    }

    private void assertCounts(long received, long dropped, long missed) {
        assertThat(Stream.of(tally.messages(), tally.dropped(), tally.missed())).containsExactly(received, dropped, missed);
        assertThat(told).hasValue(dropped + missed);
    }

    /** The connection ends between the number, which leaves messages out, and the word that those were dropped. */
    @ParameterizedTest
    @ValueSource(longs = {0, 4, 10, 16})
    void shouldMissWhatWasLeftOutAndNotSaidToBeDropped(long said) {
        GapDetector.Listener first = connect(0);
        first.delivered(10, 80);
        first.ended();
        GapDetector.Listener second = connect(10);
        second.delivered(1, 8);
        second.subscribed(21, RUN, 0);
        second.delivered(1, 8);
        if (said > 0) {
            second.dropped(said);
        }
        second.ended();
        connect(30).ended();
        assertCounts(12, said, 18 - said);
    }

    /** Whoever begins again with the last message, which is retained, misses those between the one before it and the present. */
    @ParameterizedTest
    @ValueSource(longs = {0, 3})
    void shouldMissWhatWasPublishedBetweenTwoConnections(long dropped) {
        GapDetector.Listener first = connect(0);
        first.delivered(10, 80);
        first.ended();
        GapDetector.Listener second = connect(9); // which it has had
        second.delivered(1, 8);
        second.subscribed(20, RUN, 0);
        second.delivered(5, 40);
        if (dropped > 0) {
            second.dropped(dropped);
        }
        second.ended();
        connect(30).ended();
        assertCounts(16, dropped, 15 - dropped);
    }

    /** Whoever begins with a message that is retained does not miss what came behind that, before the subscription. */
    @Test
    void shouldNotMissWhatWasPublishedBeforeTheFirstConnection() {
        GapDetector.Listener first = connect(10);
        first.delivered(1, 8);
        first.subscribed(100, RUN, 0);
        first.delivered(1, 8);
        first.dropped(5);
        first.subscribed(106, RUN, 0);
        first.delivered(1, 8);
        first.dropped(2); // behind the last one
        first.ended();
        assertCounts(3, 7, 0);
        connect(110).ended();
        assertCounts(3, 7, 1);
    }

    /** A message that waits for demand when a number is told is before the gap. */
    @Test
    void shouldCountWhatWaitsAsReceivedWhenItIs() {
        connect(0).ended();
        GapDetector.Listener second = connect(0);
        second.subscribed(12, RUN, 2);
        second.ended();
        assertCounts(0, 0, 10);
        second.delivered(2, 16); // after the end of the connection
        connect(12).ended();
        assertCounts(2, 0, 10);
    }
}
