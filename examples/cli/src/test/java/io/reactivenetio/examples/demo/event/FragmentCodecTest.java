// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class FragmentCodecTest {
    private final FragmentCodec codec = new FragmentCodec();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(FragmentCodec.MAX_SIZE);

    private void encode(int... charges) {
        int[] hits = new int[charges.length];
        for (int i = 0; i < hits.length; i++) {
            hits[i] = 1000 + i | charges[i] << 16;
        }
        codec.encode(buffer, 3, 123_456_789_012L, 1, hits, hits.length);
    }

    @Test
    void shouldDecodeWhatItEncoded() {
        encode(7, 60_000, 1);

        Fragment fragment = codec.decode(buffer);

        assertThat(fragment).isEqualTo(new Fragment(3, 123_456_789_012L, Fragment.crossingOf(123_456_789_012L), 1, 3, 60_008,
                Fault.NONE));
        assertThat(buffer.position()).isZero();
        assertThat(buffer.limit()).isEqualTo(FragmentCodec.HEADER + 12);
    }

    @Test
    void shouldDecodeAFragmentWithoutHits() {
        encode();

        assertThat(codec.decode(buffer).fault()).isEqualTo(Fault.NONE);
        assertThat(buffer.remaining()).isEqualTo(FragmentCodec.HEADER);
    }

    @Test
    void shouldEncodeAsManyHitsAsFit() {
        codec.encode(buffer, 0, 0, 0, new int[FragmentCodec.MAX_HITS], FragmentCodec.MAX_HITS);

        assertThat(buffer.remaining()).isEqualTo(FragmentCodec.MAX_SIZE);
        assertThat(codec.decode(buffer).hits()).isEqualTo(FragmentCodec.MAX_HITS);
    }

    @Test
    void shouldHaveTheDocumentedLayout() {
        encode(5);

        assertThat(buffer.get(0)).isEqualTo((byte) 'D');
        assertThat(buffer.get(1)).isEqualTo((byte) 'F');
        assertThat(buffer.getShort(6)).isEqualTo((short) 3);
        assertThat(buffer.getLong(8)).isEqualTo(123_456_789_012L);
        assertThat(buffer.getShort(18)).isEqualTo((short) 1);
        assertThat(buffer.getInt(20)).isEqualTo(4);
        assertThat(buffer.getShort(32)).isEqualTo((short) 1000);
        assertThat(buffer.getShort(34)).isEqualTo((short) 5);
    }

    @Test
    void shouldFindEveryTruncation() {
        encode(1, 2, 3);
        for (int size = buffer.limit() - 1; size >= 0; size--) {
            buffer.limit(size);
            Fragment fragment = codec.decode(buffer);
            assertThat(fragment.fault()).as("of %d bytes", size).isEqualTo(Fault.TRUNCATED);
            assertThat(fragment.headerIntact()).isEqualTo(size >= FragmentCodec.HEADER);
        }
    }

    @Test
    void shouldFindEveryFlippedBit() {
        encode(1, 2, 3);
        for (int bit = 0; bit < buffer.limit() * 8; bit++) {
            flip(bit);
            Fragment fragment = codec.decode(buffer);
            assertThat(fragment.fault()).as("bit %d", bit).isEqualTo(Fault.CORRUPTED);
            assertThat(fragment.headerIntact()).isEqualTo(bit >= 28 * 8);
            flip(bit);
        }
        assertThat(codec.decode(buffer).fault()).isEqualTo(Fault.NONE);
    }

    private void flip(int bit) {
        buffer.put(bit / 8, (byte) (buffer.get(bit / 8) ^ 1 << bit % 8));
    }

    @Test
    void shouldDecodeInTheMiddleOfABuffer() {
        encode(9);
        ByteBuffer larger = ByteBuffer.allocate(100).position(10);
        larger.put(buffer).flip().position(10);

        assertThat(codec.decode(larger).charge()).isEqualTo(9);
        assertThat(larger.position()).isEqualTo(10);
    }
}
