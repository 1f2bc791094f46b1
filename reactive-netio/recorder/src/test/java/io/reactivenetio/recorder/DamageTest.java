// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import static io.reactivenetio.recorder.Events.TAG;
import static io.reactivenetio.recorder.Events.message;
import static io.reactivenetio.recorder.Events.messages;
import static io.reactivenetio.recorder.Events.read;
import static io.reactivenetio.recorder.Events.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.recorder.NetioRecordingException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are cut or changed: what is left is read, and what is not is told. */
class DamageTest {
    private static final int PAGE = Format.PAGE;
    private static final int BLOCKS = 3;

    @TempDir
    Path directory;

    private Path segment;
    private Path index;
    private byte[] good;

    /** One segment with three blocks of a page, each with two messages. */
    @BeforeEach
    void write() throws IOException {
        write(directory);
        segment = Recovery.files(directory).getFirst();
        index = Format.index(segment);
        good = Files.readAllBytes(segment);
        assertThat(good).hasSize((1 + BLOCKS) * PAGE);
    }

    private static void write(Path to) {
        RecorderCounters counters = new RecorderCounters();
        try (DirectLog log = new DirectLog(to, RecorderOptions.defaults(), counters)) {
            for (int block = 0; block < BLOCKS; block++) {
                log.write(TAG, messages(2 * block, 2 * block + 2));
            }
        }
    }

    @Test
    void shouldCutBackWhereverTheLastBlockWasCut() throws IOException {
        int start = BLOCKS * PAGE;
        for (int length = start; length < good.length; length += length < start + 200 || length > good.length - 100 ? 1 : 7) {
            Files.deleteIfExists(index);
            try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(good, start, length - start), start);
                channel.truncate(length);
            }
            Recovery recovery = Recovery.of(directory, false);
            assertThat(Files.size(segment)).isEqualTo(start);
            assertThat(recovery.ends().get(TAG)).extracting(Recovery.End::next).isEqualTo(4L);
            if (length == start) {
                assertThat(recovery.lost()).isEmpty();
            } else {
                Gap gap = length < start + PAGE ? recovery.lost().getLast().gap() : null;
                assertThat(recovery.lost()).singleElement().satisfies(lost -> assertThat(lost.cut()).isTrue())
                        .extracting(Lost::bytes).isEqualTo((long) length - start);
                assertThat(gap).isNull();
            }
        }
        Events.record(directory, List.of(message(1, 6)));
        assertThat(read(directory)).containsExactly("1:0=m0", "1:1=m1", "1:2=m2", "1:3=m3", "1:4-5", "1:6=m6");
    }

    /** A recorder is writing there: the rest may still come. */
    @Test
    void shouldNotReadBeyondTheLastWholeBlock() throws IOException {
        Files.delete(index);
        try (NetioRecording recording = NetioRecording.open(directory);
                FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
            channel.truncate(good.length - 1);
            assertThat(texts(recording.read(TAG, (Position) null))).hasSize(5).endsWith("1:4-5"); // it had seen the block
        }
        try (NetioRecording recording = NetioRecording.open(directory)) {
            assertThat(texts(recording.read(TAG, (Position) null))).hasSize(4);
            assertThat(recording.statistics().unfinishedBytes()).isEqualTo(PAGE - 1);
            Files.write(segment, good);
            assertThat(texts(recording.read(TAG, (Position) null))).hasSize(6);
        }
    }

    /** With the index even a block whose header is gone is told exactly, without it with the next message. */
    @Test
    void shouldFindEveryChangedBit() throws IOException {
        for (boolean isIndexed : new boolean[] {true, false}) {
            try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
                for (int at = 0; at < good.length; at += at % PAGE < 150 ? 1 : 257) {
                    channel.write(ByteBuffer.wrap(new byte[] {(byte) (good[at] ^ 1 << at % 8)}), at);
                    check(at, isIndexed);
                    channel.write(ByteBuffer.wrap(good, at, 1), at);
                }
            }
            Files.deleteIfExists(index);
        }
    }

    private void check(int at, boolean isIndexed) {
        try (NetioRecording recording = NetioRecording.open(directory)) {
            List<String> expected = new ArrayList<>(List.of("1:0=m0", "1:1=m1", "1:2=m2", "1:3=m3", "1:4=m4", "1:5=m5"));
            int block = at / PAGE - 1;
            boolean isHeader = at % PAGE < BlockHeader.BYTES;
            if (block >= 0) {
                int first = 2 * block;
                expected.set(first, "1:" + first + "-" + (first + 1));
                expected.remove(first + 1);
                if (isHeader && !isIndexed && block != 1) {
                    expected.remove(first); // a reader from the beginning does not know of the first, nor anybody of the last
                }
            }
            assertThat(texts(recording.read(TAG, (Position) null))).as("at " + at).isEqualTo(expected);
            RecordingStatistics statistics = recording.statistics();
            assertThat(statistics.damagedBytes() + statistics.skippedBytes() + statistics.unfinishedBytes()).as("at " + at)
                    .isEqualTo(PAGE);
        }
    }

    @Test
    void shouldNotBelieveADamagedIndex() throws IOException {
        byte[] listed = Files.readAllBytes(index);
        for (int at = 0; at < listed.length; at += at < 40 ? 1 : 3) {
            byte[] bad = listed.clone();
            bad[at] ^= (byte) (1 << at % 8);
            Files.write(index, bad);
            assertThat(read(directory)).as("at " + at).hasSize(6);
        }
        for (int length = 0; length < listed.length; length += 13) {
            Files.write(index, java.util.Arrays.copyOf(listed, length));
            assertThat(read(directory)).as("of " + length).hasSize(6);
        }
        Recovery.of(directory, false); // writes it anew
        assertThat(Files.readAllBytes(index)).isEqualTo(listed);
    }

    /** What a recorder finds when it is opened: it goes on behind the last whole block, and readers are told the rest. */
    @Test
    void shouldRecordOnBehindDamage() throws IOException {
        byte[] bad = good.clone();
        bad[PAGE + 200] ^= 1; // the first block
        bad[3 * PAGE + 200] ^= 1; // the last block: its header says what was in it
        Files.write(segment, bad);
        Files.delete(index);
        try (NetioRecorder recorder = NetioRecorder.open(directory, RecorderOptions.defaults())) {
            assertThat(recorder.lost()).containsExactlyInAnyOrder(
                    new Lost(segment, 3 * PAGE, PAGE, true, new Gap(TAG, 1, 4, 5)),
                    new Lost(segment, PAGE, PAGE, false, new Gap(TAG, 1, 0, 1)));
            assertThat(recorder.position(TAG)).isEqualTo(new Position(1, 3));
        }
        Events.record(directory, messages(7, 8));
        assertThat(read(directory)).containsExactly("1:0-1", "1:2=m2", "1:3=m3", "1:4-6", "1:7=m7");
    }

    /** It was complete, so its index says what was in it, wherever it was cut. */
    @Test
    void shouldSayWhatWasInASegmentThatWasCut() throws IOException {
        byte[] listed = Files.readAllBytes(index);
        for (int length : new int[] {0, 1, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE, 3 * PAGE - 1, 3 * PAGE, 4 * PAGE - 1}) {
            Files.write(segment, java.util.Arrays.copyOf(good, length));
            Files.write(index, listed);
            int left = Math.max(0, length / PAGE - 1);
            List<Gap> gone = new ArrayList<>();
            for (int block = left; block < BLOCKS; block++) {
                gone.add(new Gap(TAG, 1, 2L * block, 2L * block + 1));
            }
            assertThat(Recovery.of(directory, false).lost()).as("cut to " + length).filteredOn(lost -> lost.gap() != null)
                    .allSatisfy(lost -> assertThat(lost.cut()).isTrue()).extracting(Lost::gap).isEqualTo(gone);
            assertThat(Files.exists(segment)).isEqualTo(left > 0);
        }
    }

    @Test
    void shouldRefuseLaterVersionsAndForeignSegments() throws IOException {
        byte[] later = good.clone();
        later[4] = 9;
        ByteBuffer page = ByteBuffer.wrap(later).order(java.nio.ByteOrder.LITTLE_ENDIAN);
        page.putInt(32, 0).putInt(32, Format.crc(page, 0, PAGE));
        Files.write(segment, later);
        assertThatThrownBy(() -> NetioRecording.open(directory)).isInstanceOf(NetioRecordingException.class)
                .hasMessageContaining("version 9");
        Files.delete(index);
        assertThatThrownBy(() -> NetioRecorder.open(directory, RecorderOptions.defaults()))
                .hasMessageContaining("version 9").extracting(error -> ((NetioRecordingException) error).reason())
                .isEqualTo(Reason.FORMAT);
        Files.write(segment, good);
        Path other = directory.resolve("other");
        write(other);
        Files.move(other.resolve(segment.getFileName()), directory.resolve(Format.segmentName(2)));
        assertThatThrownBy(() -> NetioRecorder.open(directory, RecorderOptions.defaults()))
                .hasMessageContaining("of another recording");
        assertThat(directory.resolve(Format.segmentName(2))).hasSize(good.length);
        assertThat(read(directory)).hasSize(6);
    }

    /** A message that looks like a block of this very file, in a block whose header is damaged. */
    @Test
    void shouldNotTakeAMessageForABlock() throws IOException {
        Path other = directory.resolve("other");
        byte[] image = new byte[5 * PAGE];
        System.arraycopy(good, PAGE, image, PAGE - BlockHeader.BYTES - Records.BYTES, PAGE);
        List<SequencedEvent> events = new ArrayList<>(messages(0, 1));
        events.add(new io.reactivenetio.pubsub.SequencedMessage(TAG, 1, 1, new io.reactivenetio.api.TaggedMessage(7, 0,
                ByteBuffer.wrap(image))));
        events.add(message(1, 2));
        RecorderCounters counters = new RecorderCounters();
        try (DirectLog log = new DirectLog(other, RecorderOptions.defaults().blockBytes(PAGE), counters)) {
            log.write(TAG, events);
        }
        Path file = Recovery.files(other).getFirst();
        byte[] bytes = Files.readAllBytes(file);
        bytes[2 * PAGE + 10] ^= 1;
        Files.write(file, bytes);
        Files.delete(Format.index(file));
        assertThat(read(other)).containsExactly("1:0=m0", "1:1-1", "1:2=m2");
    }
}
