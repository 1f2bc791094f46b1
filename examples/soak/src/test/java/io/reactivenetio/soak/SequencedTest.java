// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Sinks;

/** A subscription that falls silent, and a message that is not what was published, do not go unseen. */
class SequencedTest {
    private static final Tags TAG = TrafficServer.HOT;

    private final AtomicLong now = new AtomicLong();
    private final Faults faults = new Faults();
    private final Sinks.Many<SequencedEvent> sink = Sinks.many().multicast().directBestEffort();
    private final Sequenced sequenced = new Sequenced(sink.asFlux(), faults, now::get);

    private static SequencedMessage message(long number, int change) {
        Pattern pattern = Pattern.of(64);
        ByteBuffer payload = ByteBuffer.allocate(64);
        pattern.encode(number, payload);
        payload.put(40, (byte) (payload.get(40) + change));
        return new SequencedMessage(TAG, 1, number, TaggedMessage.of(1, payload.flip()));
    }

    @Test
    void shouldCountWhatIsAllRight() {
        sink.tryEmitNext(message(0, 0));
        sink.tryEmitNext(new Gap(TAG, 1, 1, 2));
        sink.tryEmitNext(message(3, 0));
        sequenced.look();
        sequenced.dispose();

        assertThat(faults.count()).isZero();
        assertThat(sequenced.arrived()).isEqualTo(2);
        assertThat(sequenced.missing()).isEqualTo(2);
    }

    @Test
    void shouldSeeThatASubscriptionWasForgotten() {
        now.addAndGet(TimeUnit.SECONDS.toNanos(21));
        sequenced.look();

        assertThat(faults).hasToString("1 faults: a subscription was silent for 20 s");
        assertThat(sink.currentSubscriberCount()).isOne();
    }

    @Test
    void shouldSeeAChangedByte() {
        sink.tryEmitNext(message(0, 1));

        assertThat(faults).hasToString("1 faults: message 0 is changed, 24 bytes before its end");
    }
}
