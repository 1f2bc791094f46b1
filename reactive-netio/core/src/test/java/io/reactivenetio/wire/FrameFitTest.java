// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each frame fits a page that has just the room for it, and is left out whole where a byte is missing. */
class FrameFitTest {
    private static final int BEFORE = 24;
    private static final int LARGE = 1_024;
    private static final String TEXT = "no room";

    static Stream<Arguments> frames() {
        return Stream.of(
                frame("message", writer -> writer.message(7, payload(5))),
                frame("message with a tag", writer -> writer.message(7, 9, 0, payload(5))),
                frame("message with a status", writer -> writer.message(7, 9, 200, payload(0))),
                frame("message that follows", writer -> writer.message(7, payload(1)) && writer.isFollowing(7)
                        && writer.follow(payload(9), 2, 6)),
                frame("first part", writer -> writer.firstPart(7, payload(1)) == 0),
                frame("SUBSCRIBE", writer -> writer.subscribe(7, Tags.range(1, 9), SlowPolicy.ERROR)),
                frame("REQUEST", writer -> writer.request(7, 1)),
                frame("CANCEL", writer -> writer.cancel(7)),
                frame("COMPLETE", writer -> writer.complete(7, 0)),
                frame("DROPPED", writer -> writer.dropped(7, 1)),
                frame("QUEUED", writer -> writer.queued(7, 0, 1)),
                frame("SUBSCRIBED", writer -> writer.subscribed(7, 3, 0)),
                frame("SUBSCRIBED in a run", writer -> writer.subscribed(7, 3, 4)),
                frame("ERROR", writer -> writer.error(7, 2, TEXT)),
                frame("PING", writer -> writer.ping(5)),
                frame("PONG", writer -> writer.pong(5)));
    }

    private static Arguments frame(String name, Predicate<FrameWriter> write) {
        return Arguments.of(name, write);
    }

    private static ByteBuffer payload(int bytes) {
        return ByteBuffer.wrap("0123456789".getBytes(StandardCharsets.US_ASCII), 0, bytes);
    }

    /** A page of so many bytes, which does not begin at the beginning of its buffer. */
    private static ByteBuffer page(int size) {
        return ByteBuffer.allocate(BEFORE + size + 1).position(BEFORE).limit(BEFORE + size);
    }

    private static byte[] written(ByteBuffer page, int size) {
        return Arrays.copyOfRange(page.array(), BEFORE, BEFORE + size);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("frames")
    void shouldFitExactlyOrNotAtAll(String name, Predicate<FrameWriter> write) {
        for (boolean checksums : new boolean[] {false, true}) {
            FrameWriter writer = new FrameWriter(checksums);
            ByteBuffer large = page(LARGE);
            writer.begin(large);
            assertThat(writer.isEmpty()).isTrue();
            assertThat(writer.hasData()).isFalse();
            int header = writer.size();
            assertThat(write.test(writer)).isTrue();
            assertThat(writer.isEmpty()).isFalse();
            assertThat(writer.hasData()).isEqualTo(name.startsWith("message") || name.equals("first part"));
            int size = writer.size();
            assertThat(writer.finish(3, 2)).isEqualTo(size).isGreaterThan(header);

            ByteBuffer exact = page(size);
            writer.begin(exact);
            assertThat(write.test(writer)).isTrue();
            assertThat(writer.finish(3, 2)).isEqualTo(size);
            assertThat(written(exact, size)).isEqualTo(written(large, size));

            ByteBuffer small = page(size - 1);
            writer.begin(small);
            assertThat(write.test(writer)).isFalse();
            if (!name.equals("message that follows")) { // there is the one before
                assertThat(writer.isEmpty()).isTrue();
                assertThat(written(small, size - 1)).containsOnly(0);
            }
        }
    }

    @Test
    void shouldBeAHeaderAtLeast() {
        FrameWriter writer = new FrameWriter(true);
        assertThat(writer.begin(page(StreamPage.HEADER_WITH_CRC)).request(1, 1)).isFalse();
        assertThat(writer.finish(1, 1)).isEqualTo(StreamPage.HEADER_WITH_CRC);
        assertThatIllegalArgumentException().isThrownBy(() -> writer.begin(page(StreamPage.HEADER_WITH_CRC - 1)))
                .withMessageContaining("a buffer of 7 bytes");
    }

    @Test
    void shouldFollowOnlyInThePageAndStreamOfTheMessageBefore() {
        FrameWriter writer = new FrameWriter(false).begin(page(LARGE));
        assertThat(writer.follow(payload(3), 0, 3)).isFalse();
        assertThat(writer.message(7, payload(3))).isTrue();
        assertThat(writer.isFollowing(8)).isFalse();
        assertThat(writer.follow(payload(3), 0, 3)).isTrue();
        writer.finish(0, 0);
        assertThat(writer.isFollowing(7)).isFalse();
        assertThat(writer.begin(page(LARGE)).isFollowing(7)).isFalse();
    }

    @Test
    void shouldCutATextThatIsTooLongBetweenCharacters() {
        FrameWriter writer = new FrameWriter(false).begin(page(LARGE));
        assertThat(writer.error(7, 2, "x".repeat(FrameType.MAX_TEXT))).isTrue();
        int whole = writer.size();
        writer.begin(page(LARGE));
        assertThat(writer.error(7, 2, "x".repeat(FrameType.MAX_TEXT - 1) + "ü")).isTrue();
        assertThat(writer.size()).isEqualTo(whole - 1);
    }
}
