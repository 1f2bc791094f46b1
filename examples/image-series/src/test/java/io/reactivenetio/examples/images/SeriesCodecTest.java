// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.examples.images.SeriesMessage.End;
import io.reactivenetio.examples.images.SeriesMessage.Image;
import io.reactivenetio.examples.images.SeriesMessage.Start;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SeriesCodecTest {
    private static final Image IMAGE = new Image(3, "a-b", 17, 2, 1, new short[] {1, (short) 0xfffe});
    /** The same image, written by hand after RFC 8949, RFC 8746 and HDF5's LZ4 framing, in another order and with more fields. */
    private static final String BY_HAND = "a6" + "6474797065" + "65696d616765" // type: image
            + "69757365725f64617461" + "82a1616101f6" // user_data: [{a: 1}, null]
            + "68696d6167655f6964" + "11" // image_id: 17
            + "697365726965735f6964" + "03" // series_id: 3
            + "707365726965735f756e697175655f6964" + "63612d62" // series_unique_id: a-b
            + "6464617461" + "a2" // data
            + "6b7468726573686f6c645f32" + "f6" // threshold_2: null
            + "6b7468726573686f6c645f31" + "d828" + "82" + "820102" // threshold_1: tag 40, [[1, 2],
            + "d845" + "d9dcb4" + "83" + "636c7a34" + "00" // tag 69, tag 56500, ["lz4", 0,
            + "54" + "0000000000000004" + "00000004" + "00000004" + "0100feff"; // 4 bytes in one block, stored

    private static ByteBuffer hex(String text) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(text));
    }

    private static void assertSame(Image actual, Image expected) {
        assertThat(actual).usingRecursiveComparison().isEqualTo(expected);
    }

    @Test
    void shouldReadWhatItWrites() {
        Start start = new Start(1, "x", 1030, 1065, 10);
        assertThat(SeriesCodec.decode(SeriesCodec.encode(start))).isEqualTo(start);
        assertThat(SeriesCodec.decode(SeriesCodec.encode(new End(2, "ü")))).isEqualTo(new End(2, "ü"));
        assertSame((Image) SeriesCodec.decode(SeriesCodec.encode(IMAGE)), IMAGE);
    }

    @Test
    void shouldReadAnImageWrittenByHand() {
        assertSame((Image) SeriesCodec.decode(hex(BY_HAND)), IMAGE);
    }

    @Test
    void shouldCompressSizesAroundABlock() {
        Random random = new Random(1);
        for (int size : new int[] {0, 1, 2, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, 1 << 20}) {
            byte[] noise = new byte[size];
            random.nextBytes(noise);
            byte[] flat = new byte[size];
            assertThat(Lz4Blocks.decompress(Lz4Blocks.compress(noise), size)).isEqualTo(noise);
            assertThat(Lz4Blocks.decompress(Lz4Blocks.compress(flat), size)).isEqualTo(flat);
        }
        assertThat(Lz4Blocks.compress(new byte[1 << 20])).hasSizeLessThan(1 << 13);
    }

    @Test
    void shouldSayWhatIsWrong() {
        assertThatIllegalArgumentException().isThrownBy(() -> SeriesCodec.decode(ByteBuffer.allocate(0)))
                .withMessageContaining("a map");
        assertThatIllegalArgumentException().isThrownBy(() -> SeriesCodec.decode(hex("a1647479706563656e64")))
                .withMessageContaining("series_id");
        assertThatIllegalArgumentException().isThrownBy(() -> SeriesCodec.decode(hex(BY_HAND.replace("d9dcb4", "d9dcb5"))))
                .withMessageContaining("compressed 16-bit pixels");
        assertThatIllegalArgumentException().isThrownBy(() -> SeriesCodec.decode(hex(BY_HAND.replace("820102", "820103"))))
                .withMessageContaining("6 bytes were expected");
        assertThatIllegalArgumentException().isThrownBy(() -> new Image(1, "", 0, 1 << 16, 1 << 16, new short[0]));
    }

    @Test
    void shouldRefuseDamagedMessagesInOneWayOnly() {
        byte[] good = HexFormat.of().parseHex(BY_HAND);
        Random random = new Random(2);
        int refused = 0;
        for (int n = 0; n < 20_000; n++) {
            byte[] bad = Arrays.copyOf(good, random.nextBoolean() ? good.length : random.nextInt(good.length + 1));
            for (int flips = random.nextInt(3); flips > 0 && bad.length > 0; flips--) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
            }
            try {
                SeriesCodec.decode(ByteBuffer.wrap(bad));
            } catch (IllegalArgumentException e) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(10_000);
        assertThatThrownBy(() -> SeriesCodec.decode(ByteBuffer.wrap(good, 0, 50))).hasMessageContaining("not CBOR");
    }
}
