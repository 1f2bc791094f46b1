// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FrameTest {
    private final FrameWriter writer = new FrameWriter(false);
    private final FrameReader reader = new FrameReader(false);
    private final ByteBuffer page = ByteBuffer.allocateDirect(4096);

    private static ByteBuffer bytes(int length) {
        return ByteBuffer.allocate(length);
    }

    private FrameReader finished() throws ProtocolException {
        return reader.begin(page.duplicate().limit(writer.finish(0, 0)));
    }

    @Test
    void shouldPackASmallMessageOfTheSameStreamWithFourBytes() {
        writer.begin(page);
        writer.message(7, bytes(64));
        int before = writer.size();
        writer.message(7, bytes(64));
        assertThat(writer.size() - before).isEqualTo(68);
        writer.message(8, bytes(64));
        assertThat(writer.size() - before).isEqualTo(68 + 72);
    }

    /** What a reader keeps from one message to the next must not be taken for that of the next. */
    @Test
    void shouldTellAMessageThatFollowsAnother() throws Exception {
        writer.begin(page);
        writer.message(7, bytes(10));
        writer.message(7, bytes(20));
        writer.message(7, 5, 9, bytes(30));
        writer.message(7, 5, 0, bytes(40));
        writer.message(8, bytes(50));
        writer.request(3, 1);
        writer.message(8, bytes(60));
        finished();

        StringBuilder read = new StringBuilder();
        while (reader.next()) {
            read.append(reader.type()).append(' ').append(reader.stream());
            if (reader.isWhole()) {
                read.append(": ").append(reader.total()).append('/').append(reader.payloadLength())
                        .append(reader.isTagged() ? " tag " + reader.tag() : "").append(" status ").append(reader.status())
                        .append(reader.isFollowing() ? " follows" : "");
            }
            read.append('\n');
        }

        assertThat(read).hasToString("""
                DATA 7: 10/10 status 0
                DATA 7: 20/20 status 0 follows
                DATA 7: 30/30 tag 5 status 9
                DATA 7: 40/40 tag 5 status 0 follows
                DATA 8: 50/50 status 0
                REQUEST 3
                DATA 8: 60/60 status 0 follows
                """);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldSayHowLargeAMessageFitsWhole(boolean checksums) {
        FrameWriter any = new FrameWriter(checksums);
        int most = any.largestWhole(4096);
        assertThat(any.begin(page).message(1, bytes(most))).isTrue();
        assertThat(any.size()).isEqualTo(4096);
        assertThat(any.begin(page).message(1, bytes(most + 1))).isFalse();
        assertThat(any.isEmpty()).isTrue();
        assertThat(any.hasData()).isFalse();
        assertThat(any.begin(page).message(1, 0, 0, bytes(most - 8))).isTrue();
    }

    @Test
    void shouldCutAMessageIntoAsManyPartsAsItNeeds() throws Exception {
        ByteBuffer message = bytes(10_000);
        for (int i = 0; i < 10_000; i++) {
            message.put(i, (byte) (i * 31));
        }
        PartialMessage partial = new Reassembly(10_000, 10_000, heap()).of(5);
        writer.begin(page).message(1, bytes(20));
        assertThat(writer.firstPart(5, 99, 3, message)).isEqualTo(4096 - 32 - 21);
        ByteBuffer whole = null;
        int pages = 0;
        while (whole == null) {
            finished();
            while (reader.next()) {
                if (reader.stream() == 5) {
                    whole = partial.add(reader, page);
                }
            }
            pages++;
            if (message.hasRemaining()) {
                writer.begin(page);
                assertThat(writer.nextPart(5, message)).isPositive();
            }
        }
        assertThat(pages).isEqualTo(3);
        assertThat(whole).isEqualTo(message.rewind());
        assertThat(partial.isTagged()).isTrue();
        assertThat(partial.tag()).isEqualTo(99);
        assertThat(partial.status()).isEqualTo(3);
    }

    private static BufferSource heap() {
        return new BufferSource() {
            @Override
            public ByteBuffer allocate(int bytes, int most) {
                return ByteBuffer.allocate(bytes);
            }

            @Override
            public void finished(ByteBuffer buffer) {
            }

            @Override
            public void free(ByteBuffer buffer) {
            }
        };
    }

    @Test
    void shouldKeepOneByteOfAMessageForItsNextPart() throws Exception {
        ByteBuffer message = bytes(10);
        writer.begin(page);
        assertThat(writer.firstPart(5, message)).isEqualTo(9);
        assertThat(writer.nextPart(5, message)).isEqualTo(1);
        assertThatThrownBy(() -> writer.nextPart(5, message)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> writer.firstPart(5, message)).isInstanceOf(IllegalArgumentException.class);
        assertThat(writer.begin(page.duplicate().limit(15)).firstPart(5, bytes(10))).isEqualTo(-1);
        assertThat(writer.begin(page.duplicate().limit(16)).firstPart(5, bytes(10))).isZero();
        assertThat(writer.begin(page.duplicate().limit(12)).nextPart(5, bytes(10))).isEqualTo(-1);
        assertThat(writer.begin(page.duplicate().limit(13)).nextPart(5, bytes(10))).isEqualTo(1);
    }

    @Test
    void shouldRefuseToWriteWhatMayNotBeRead() {
        assertThatThrownBy(() -> writer.cancel(3)).isInstanceOf(IllegalStateException.class).hasMessageContaining("no page");
        writer.begin(page);
        assertThatThrownBy(() -> writer.request(1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> writer.complete(1, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> writer.dropped(1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> writer.queued(1, -1, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> writer.queued(1, 1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> writer.cancel(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> writer.message(-1, bytes(1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> writer.message(1, 1, 256, bytes(1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> writer.subscribe(0, Tags.of(1), SlowPolicy.ERROR))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> writer.finish(65_536, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> writer.finish(0, 256)).isInstanceOf(IllegalArgumentException.class);
        assertThat(writer.isEmpty()).isTrue();
        assertThatThrownBy(() -> writer.begin(bytes(3))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Tags.masked(1, 2)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Tags.range(-1, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldCutALongTextBetweenCharacters() throws Exception {
        writer.begin(page).error(1, 2, "ä".repeat(1000));
        writer.error(1, 2, "x" + "ä".repeat(1000));
        finished().next();
        assertThat(reader.text()).isEqualTo("ä".repeat(256));
        reader.next();
        assertThat(reader.text()).isEqualTo("x" + "ä".repeat(255));
        assertThat(reader.next()).isFalse();
    }

    @Test
    void shouldSkipUnknownFramesThatMayBeSkipped() throws Exception {
        byte[] some = HexFormat.of().parseHex("00000000" + "000000bf" + "02000080ffff" + "040000c302000000" + "00000081");
        reader.begin(ByteBuffer.wrap(some));
        assertThat(reader.next()).isTrue();
        assertThat(reader.type()).isEqualTo(FrameType.CANCEL);
        assertThat(reader.next()).isFalse();
    }

    @Test
    void shouldMatchTags() {
        assertThat(Tags.of(-5).contains(-5)).isTrue();
        assertThat(Tags.of(-5).contains(5)).isFalse();
        assertThat(Tags.range(5, -5).contains(Long.MIN_VALUE)).isTrue();
        assertThat(Tags.range(5, -5).contains(4)).isFalse();
        assertThat(Tags.range(5, -5).contains(-4)).isFalse();
        assertThat(Tags.masked(0x1200, 0xff00).contains(0x112ff)).isTrue();
        assertThat(Tags.masked(0x1200, 0xff00).contains(0x1300)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "'', its header alone 4",
        "000000, its header alone 4",
        "00000004, unknown flags",
        "0000000100000000, the handshake did not agree",
        "00000002, has no frame at all",
        "00000000 00, within a frame's header",
        "00000000 040000c3000000, 3 of its 4 bytes",
        "00000000 ffffff80, 0 of its 16777215 bytes",
        "00000000 050000c30100000000, CANCEL of 5 bytes; it has 4",
        "00000000 070000c501000000000000, ERROR of 7 bytes; it has 8 to 520",
        "00000000 040000c3ffffffff, which it is not for",
        "00000000 0c0000c4010000000000000000000080, COMPLETE with 9223372036854775808",
        "00000000 0c0000c2010000000000000000000000, REQUEST with 0",
        "00000000 180000c1000000000000000000000000000000000000000000000000, which it is not for",
        "00000000 180000c1010000000300000000000000000000000000000000000000, unknown kind 3",
        "00000000 180000c1010000000005000000000000000000000000000000000000, unknown policy 5",
        "00000000 180000c1010000000000010000000000000000000000000000000000, reserved",
        "00000000 180000c1010000000000000000000000000000000100000000000000, second number",
        "00000000 180000c1010000000100000002000000000000000100000000000000, before it begins",
        "00000000 180000c1010000000200000002000000000000000100000000000000, outside of its mask",
        "00000000 000000c0, must not be skipped",
        "00000002 00000023, do not go together",
        "00000002 00000008, do not go together",
        "00000002 00000012, do not go together",
        "00000002 00000003, does not say of which stream",
        "00000002 00000007ffffffff, which is none",
        "00000002 00000007000000, within DATA: 3 of its 4",
        "00000002 0100000700000000, within DATA: 4 of its 5",
        "00000002 0000001f000000000102030405060708, within DATA: 12 of its 13",
        "00000002 000000050000000000000000, 0 of 0 bytes",
        "00000002 0000000500000000000000f0, 0 of 4026531840 bytes",
        "00000000 0000000700000000, control credit",
    })
    void shouldSayWhatIsWrongWithAPage(String hex, String text) {
        byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
        ByteBuffer inside = bytes(bytes.length + 64).position(32).put(bytes).flip().position(32);
        assertThatThrownBy(() -> {
            reader.begin(inside);
            while (reader.next()) {
                assertThat(reader.payloadOffset() + reader.payloadLength()).isLessThanOrEqualTo(inside.limit());
            }
        }).isInstanceOf(ProtocolException.class).hasMessageContaining(text);
    }

    @Test
    void shouldInsistOnChecksumsThatWereAgreedOn() {
        assertThatThrownBy(() -> new FrameReader(true).begin(bytes(7))).hasMessageContaining("its header alone 8");
        assertThatThrownBy(() -> new FrameReader(true).begin(bytes(8))).isInstanceOf(ProtocolException.class)
                .hasMessageContaining("it has no checksum, but the handshake agreed on them");
    }
}
