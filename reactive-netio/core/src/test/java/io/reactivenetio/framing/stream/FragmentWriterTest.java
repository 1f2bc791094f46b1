// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.connection.KeptMemory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** The memory that what is left of a large message waits in. */
class FragmentWriterTest {
    private static final int WHOLE = 1 << 20;

    private final KeptMemory kept = new KeptMemory(8 * WHOLE);
    private final FragmentCopies copies = new FragmentCopies(kept);
    private final FragmentWriter writer = new FragmentWriter(new RoomAtPeer(1L << 30), copies);

    private ByteBuffer wait(int left, int bytes) {
        ByteBuffer copy = writer.copy(ByteBuffer.allocate(left), bytes);
        assertThat(copy.remaining()).isEqualTo(left);
        writer.forget();
        return copy;
    }

    /** How much is left depends on when the pages run out: each time a little more would make a buffer each time. */
    @Test
    void shouldMakeOneBufferForMessagesOfOneSizeHoweverMuchIsLeft() {
        ByteBuffer first = wait(10, WHOLE);
        assertThat(first.capacity()).isEqualTo(WHOLE);
        for (int left = 1000; left < WHOLE; left += 100_000) {
            assertThat(wait(left, WHOLE)).isSameAs(first);
        }
        assertThat(first.capacity()).isEqualTo(WHOLE);
    }

    @Test
    void shouldMakeALargerOneForLargerMessages() {
        ByteBuffer small = wait(10, 1000);
        ByteBuffer larger = wait(5000, 6000);
        assertThat(larger).isNotSameAs(small);
        assertThat(larger.capacity()).isEqualTo(6000);
    }

    @Test
    void shouldKeepLargeOnesAsFarAsTheLoopAllows() {
        ByteBuffer large = wait(WHOLE + 1, 4 * WHOLE);
        assertThat(large.capacity()).isEqualTo(4 * WHOLE);
        assertThat(kept.kept()).isEqualTo(4 * WHOLE);
        assertThat(wait(10, 4 * WHOLE)).isSameAs(large);

        ByteBuffer tooLarge = wait(5 * WHOLE, 9 * WHOLE);
        assertThat(tooLarge.capacity()).isEqualTo(5 * WHOLE);
    }

    @Test
    void shouldNotHoldALotOfMemoryForSmallMessages() {
        ByteBuffer large = wait(WHOLE + 1, 4 * WHOLE);
        assertThat(wait(10, 1000)).isNotSameAs(large);
        assertThat(kept.kept()).isZero();
    }

    /** Two streams send by turns. */
    @Test
    void shouldShareTheMemoryAmongStreams() {
        FragmentWriter other = new FragmentWriter(new RoomAtPeer(1L << 30), copies);
        ByteBuffer first = wait(10, 1000);
        ByteBuffer second = other.copy(ByteBuffer.allocate(10), 1000);
        assertThat(second).isSameAs(first);
        assertThat(wait(10, 1000)).isNotSameAs(first);
        other.forget();
    }

    @Test
    void shouldKeepNothingOnceClosed() {
        wait(10, 2 * WHOLE);
        assertThat(kept.kept()).isEqualTo(2 * WHOLE);
        ByteBuffer open = writer.copy(ByteBuffer.allocate(10), 2 * WHOLE);
        copies.close();
        writer.forget();
        assertThat(kept.kept()).isZero();
        assertThat(copies.take(10, 2 * WHOLE)).isNotSameAs(open);
    }
}
