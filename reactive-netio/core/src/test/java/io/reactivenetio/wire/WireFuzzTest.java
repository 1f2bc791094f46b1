// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Whatever bytes a peer sends, the decoders answer with contents or with a ProtocolException. As a test this repeats the corpus
 * under src/test/resources; one method for ten minutes of fuzzing:
 *
 * <pre>JAZZER_FUZZ=1 ./mvnw verify -pl reactive-netio/core -am -Dtest='WireFuzzTest#stream' \
 *     -Dsurefire.failIfNoSpecifiedTests=false -Dtest.checks=-Djazzer.hooks=true</pre>
 */
class WireFuzzTest {
    private static final int BUDGET = 1 << 20;

    @FuzzTest(maxDuration = "10m")
    void page(byte[] data) {
        roundTrip("page", data);
    }

    @FuzzTest(maxDuration = "10m")
    void handshake(byte[] data) {
        roundTrip("handshake", data);
        byte[] valid = data.length < Handshake.SIZE ? data : RandomWire.repaired("handshake", data);
        roundTrip("handshake", valid);
    }

    @FuzzTest(maxDuration = "10m")
    void stream(byte[] data) {
        roundTrip("stream", data);
        roundTrip("stream+crc", RandomWire.repaired("stream+crc", data));
    }

    @FuzzTest(maxDuration = "10m")
    void request(byte[] data) {
        roundTrip("request", data);
    }

    /** What was read and written again reads the same. */
    private static void roundTrip(String format, byte[] data) {
        List<String> meaning;
        try {
            meaning = WireText.read(format, data);
        } catch (ProtocolException refused) {
            assertThat(refused.getMessage()).isNotEmpty();
            return;
        }
        try {
            assertThat(WireText.read(format, WireText.write(format, meaning))).isEqualTo(meaning);
        } catch (ProtocolException e) {
            throw new AssertionError("what was read cannot be read again: " + meaning, e);
        }
    }

    /** Page after page, each behind a byte with its length, as a connection takes them: its memory keeps to its budget. */
    @FuzzTest(maxDuration = "10m")
    void connection(byte[] data) {
        Allocated allocated = new Allocated();
        Reassembly reassembly = new Reassembly(BUDGET / 2, BUDGET, allocated);
        PartialMessage[] streams = new PartialMessage[4];
        Arrays.setAll(streams, reassembly::of);
        CreditWindow credits = new CreditWindow(2, 3, 2, 3);
        FrameReader reader = new FrameReader(false);
        try {
            for (int at = 0; at < data.length; ) {
                int length = Math.min(data[at] & 0xff, data.length - at - 1);
                receive(reader, ByteBuffer.wrap(data, at + 1, length), credits, streams);
                at += 1 + length;
                assertThat(reassembly.reserved()).isBetween(0L, (long) BUDGET);
                assertThat(allocated.bytes).isLessThanOrEqualTo(BUDGET + 255);
                allocated.delivered(reassembly.reserved());
            }
        } catch (ProtocolException refused) {
            assertThat(refused.getMessage()).isNotEmpty();
        }
        Arrays.asList(streams).forEach(PartialMessage::discard);
        assertThat(reassembly.reserved()).isZero();
    }

    private static void receive(FrameReader reader, ByteBuffer page, CreditWindow credits, PartialMessage[] streams)
            throws ProtocolException {
        reader.begin(page);
        credits.received(reader.isDataPage(), reader.dataCredits(), reader.controlCredits());
        List<ByteBuffer> messages = new ArrayList<>();
        while (reader.next()) {
            if (reader.type() == FrameType.DATA) {
                ByteBuffer message = streams[reader.stream() & 3].add(reader, page);
                if (message != null) {
                    messages.add(message);
                }
            } else if (reader.type() == FrameType.CANCEL) {
                streams[reader.stream() & 3].discard();
            }
        }
        assertThat(messages).allMatch(message -> message.remaining() <= BUDGET / 2);
        credits.posted(reader.isDataPage());
        boolean answered = credits.maySendData();
        if (answered || credits.maySendControl()) {
            credits.sent(answered);
        }
    }

    /** Bytes that are unfinished, and those of one page's messages. */
    private static final class Allocated implements BufferSource {
        private long bytes;

        @Override
        public ByteBuffer allocate(int size, int most) {
            bytes += size;
            return ByteBuffer.allocate(size);
        }

        @Override
        public void finished(ByteBuffer buffer) {
            // it is the message's now, or comes back
        }

        @Override
        public void free(ByteBuffer buffer) {
            bytes -= buffer.capacity();
        }

        void delivered(long unfinished) {
            bytes = unfinished;
        }
    }
}
