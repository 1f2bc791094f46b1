// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PageTest {
    private static final int SEEDS = 2_000;

    private final PageWriter writer = new PageWriter();
    private final PageReader reader = new PageReader();

    private static ByteBuffer bytes(int length) {
        return ByteBuffer.allocate(length);
    }

    @Test
    void shouldReadWhatItWroteWhereverItLiesAndWhateverTheByteOrder() throws Exception {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            ByteBuffer page = random.nextBoolean() ? ByteBuffer.allocateDirect(500) : ByteBuffer.allocate(500);
            page.order(random.nextBoolean() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
            page.position(random.nextInt(50)).limit(450 + random.nextInt(50));
            writer.begin(page);
            List<String> written = fill(random);
            page.limit(page.position() + writer.size());
            reader.begin(page);
            List<String> read = new ArrayList<>();
            while (reader.next()) {
                byte[] payload = new byte[reader.payloadLength()];
                page.get(reader.payloadOffset(), payload);
                read.add(reader.tag() + " " + reader.status() + " " + HexFormat.of().formatHex(payload));
            }
            assertThat(read).as("seed %d", seed).isEqualTo(written);
        }
    }

    private List<String> fill(Random random) {
        List<String> written = new ArrayList<>();
        while (true) {
            byte[] payload = new byte[random.nextInt(60)];
            random.nextBytes(payload);
            long tag = random.nextInt(3) - 1;
            int status = random.nextBoolean() ? 0 : random.nextInt(256);
            ByteBuffer source = ByteBuffer.wrap(payload);
            int before = writer.size();
            boolean fits = writer.append(tag, status, source);
            assertThat(source.position()).isZero();
            if (!fits) {
                assertThat(writer.size()).isEqualTo(before);
                return written;
            }
            written.add(tag + " " + status + " " + HexFormat.of().formatHex(payload));
        }
    }

    @Test
    void shouldFillAPageToItsLastByte() {
        writer.begin(bytes(12 + 20 + 4 + 16));
        assertThat(writer.isEmpty()).isTrue();
        assertThat(writer.append(1, 0, bytes(20))).isTrue();
        assertThat(writer.append(1, 0, bytes(17))).isFalse();
        assertThat(writer.append(1, 1, bytes(16))).isFalse();
        assertThat(writer.append(2, 0, bytes(9))).isFalse();
        assertThat(writer.append(1, 0, bytes(16))).isTrue();
        assertThat(writer.append(1, 0, bytes(0))).isFalse();
        assertThat(writer.isEmpty()).isFalse();
    }

    @Test
    void shouldRefuseAMessageThatNoPageTakesInAnyPosition() {
        writer.begin(bytes(100));
        assertThatThrownBy(() -> writer.append(1, 0, bytes(89))).isInstanceOf(MessageTooLargeException.class)
                .hasMessageContaining("a message of 89 bytes").hasMessageContaining("at most 88");
        assertThatThrownBy(() -> writer.append(1, 1, bytes(88))).isInstanceOf(MessageTooLargeException.class);
        assertThat(writer.append(1, 1, bytes(1))).isTrue();
        assertThatThrownBy(() -> writer.append(1, 0, bytes(89))).isInstanceOf(MessageTooLargeException.class);
        assertThat(writer.append(1, 0, bytes(88))).isFalse();
        writer.begin(bytes(3));
        assertThatThrownBy(() -> writer.append(1, 0, bytes(0))).isInstanceOf(MessageTooLargeException.class)
                .hasMessageContaining("at most 0");
    }

    @Test
    void shouldRefuseAStatusThatIsNoByte() {
        writer.begin(bytes(100));
        assertThatThrownBy(() -> writer.append(1, 256, bytes(1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> writer.append(1, -1, bytes(1))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldFindNothingInAnEmptyPage() throws Exception {
        assertThat(reader.begin(bytes(0)).next()).isFalse();
        assertThat(reader.next()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "00, within a message's header",
        "00000080, within a message's tag",
        "0000008001020304050607, within a message's tag",
        "00000040, status byte",
        "000000c0, status byte",
        "000000c001, within a message's tag",
        "00000000, without a tag",
        "000000400100, without a tag",
        "010000800000000000000000, 0 of its 1 bytes",
        "ffffffbf000000000000000061, 1 of its 1073741823 bytes",
        "0100008000000000000000006100, within a message's header",
        "010000800000000000000000610200000061, 1 of its 2 bytes",
    })
    void shouldSayWhatIsWrongWithAPage(String hex, String text) {
        // in the middle of a larger buffer, so that reading beyond the page would not throw by itself
        byte[] page = HexFormat.of().parseHex(hex);
        ByteBuffer buffer = bytes(page.length + 32).position(16).put(page).flip().position(16);
        assertThatThrownBy(() -> {
            reader.begin(buffer);
            while (reader.next()) {
                assertThat(reader.payloadOffset() + reader.payloadLength()).isLessThanOrEqualTo(buffer.limit());
            }
        }).isInstanceOf(ProtocolException.class).hasMessageContaining(text).hasMessageContaining("of " + page.length);
        assertThatThrownBy(reader::next).isInstanceOf(ProtocolException.class);
    }
}
