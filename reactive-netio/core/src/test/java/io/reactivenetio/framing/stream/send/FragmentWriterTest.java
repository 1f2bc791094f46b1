// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream.send;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.send.page.WaitingMessage;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** The memory that what is left of a large message waits in. */
class FragmentWriterTest {
    private static final int WHOLE = 1 << 20;

    private final FragmentWriter writer = new FragmentWriter(new RoomAtPeer(1L << 30));

    private WaitingMessage wait(int left, int bytes) {
        WaitingMessage copy = writer.copy(1, 0, ByteBuffer.allocate(left), bytes);
        assertThat(copy.data().remaining()).isEqualTo(left);
        writer.forget();
        return copy;
    }

    /** How much is left depends on when the pages run out: each time a little more would make a buffer each time. */
    @Test
    void shouldMakeOneBufferForMessagesOfOneSizeHoweverMuchIsLeft() {
        WaitingMessage first = wait(10, WHOLE);
        assertThat(first.data().capacity()).isEqualTo(WHOLE);
        for (int left = 1000; left < WHOLE; left += 100_000) {
            assertThat(wait(left, WHOLE)).isSameAs(first);
        }
        assertThat(first.data().capacity()).isEqualTo(WHOLE);
    }

    @Test
    void shouldMakeALargerOneForLargerMessagesAndKeepNoneBeyondTheLimit() {
        WaitingMessage small = wait(10, 1000);
        WaitingMessage larger = wait(5000, 6000);
        assertThat(larger).isNotSameAs(small);
        assertThat(larger.data().capacity()).isEqualTo(6000);
        WaitingMessage huge = wait(WHOLE + 1, 4 * WHOLE);
        assertThat(huge.data().capacity()).isEqualTo(WHOLE + 1);
        assertThat(wait(10, 100)).isNotSameAs(huge);
    }
}
