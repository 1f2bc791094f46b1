// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.RunChange;
import io.reactivenetio.pubsub.SequencedMessage;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** A message that is lost, repeated or of a run that was not told does not go unseen. */
class RunCheckTest {
    private static final Tags TAG = Tags.of(7);

    private final RunCheck check = new RunCheck();

    private void message(long run, long number) {
        check.take(new SequencedMessage(TAG, run, number, TaggedMessage.of(7, ByteBuffer.allocate(0))));
    }

    @Test
    void shouldCountWhatComesAndWhatIsMissing() {
        message(1, 0);
        check.take(new Gap(TAG, 1, 1, 4));
        message(1, 5);
        check.take(new RunChange(TAG, new Position(1, 5), 2));
        message(2, 0);

        assertThat(check.faults()).isEmpty();
        assertThat(check.arrived()).isEqualTo(3);
        assertThat(check.missing()).isEqualTo(4);
        assertThat(check.runs()).hasSize(2);
    }

    @Test
    void shouldBeginWhereASourceIsWhenItComes() {
        message(1, 1_000);
        message(1, 1_001);
        check.take(new RunChange(TAG, new Position(1, 1_001), 2));
        message(2, 7);

        assertThat(check.faults()).containsExactly(TAG + ": 7 came where 0 was next");
    }

    @Test
    void shouldSeeOneLostMessage() {
        message(1, 0);
        message(1, 2);

        assertThat(check.faults()).containsExactly(TAG + ": 2 came where 1 was next");
    }

    @Test
    void shouldSeeOneThatComesTwice() {
        message(1, 0);
        message(1, 0);

        assertThat(check.faults()).containsExactly(TAG + ": 0 came where 1 was next");
    }

    @Test
    void shouldSeeARunThatWasNotTold() {
        message(1, 0);
        message(2, 0);

        assertThat(check.faults()).containsExactly(TAG + ": a run has begun that was not told");
    }
}
