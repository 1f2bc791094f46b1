// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReassemblyTest {
    private static final int FIRST = FrameType.FIRST;
    private static final int LAST = FrameType.LAST;

    private final Counting buffers = new Counting();
    private final Reassembly reassembly = new Reassembly(100, 150, buffers);
    private final PartialMessage one = reassembly.of(1);
    private final PartialMessage two = reassembly.of(2);

    /** Knows what it gave out, and that it gets back nothing else. */
    private static final class Counting implements BufferSource {
        private final Set<Integer> out = new HashSet<>();
        private final List<Integer> sizes = new ArrayList<>();
        private long unfinished;

        @Override
        public ByteBuffer allocate(int bytes, int most) {
            ByteBuffer buffer = ByteBuffer.allocate(bytes);
            out.add(System.identityHashCode(buffer));
            sizes.add(bytes);
            unfinished += bytes;
            return buffer;
        }

        @Override
        public void finished(ByteBuffer buffer) {
            unfinished -= buffer.limit();
        }

        @Override
        public void free(ByteBuffer buffer) {
            assertThat(out.remove(System.identityHashCode(buffer))).isTrue();
        }
    }

    @AfterEach
    void shouldHaveFreedEverything() {
        one.discard();
        two.discard();
        assertThat(reassembly.reserved()).isZero();
        assertThat(buffers.out).isEmpty();
        assertThat(buffers.unfinished).isZero();
    }

    private void taken(ByteBuffer message) {
        buffers.free(message);
    }

    private static ByteBuffer add(PartialMessage partial, int part, int total, int length) throws ProtocolException {
        return put(partial, part, total, new byte[length]);
    }

    private static ByteBuffer put(PartialMessage partial, int part, int total, byte... payload) throws ProtocolException {
        ByteBuffer page = ByteBuffer.allocate(1024);
        FrameWriter writer = new FrameWriter(false).begin(page);
        assertThat(writer.head(1, part, false, 0, 0, total, payload.length)).isTrue();
        writer.copy(ByteBuffer.wrap(payload), payload.length);
        FrameReader reader = new FrameReader(false).begin(page.limit(writer.finish(0, 0)));
        assertThat(reader.next()).isTrue();
        return partial.add(reader, page);
    }

    private static void refused(ThrowingCallable call, String text) {
        assertThatThrownBy(call).isInstanceOf(ProtocolException.class).hasMessageContaining(text);
    }

    @Test
    void shouldPutAMessageTogetherWhileOthersComeInBetween() throws Exception {
        assertThat(put(one, FIRST, 4, (byte) 1)).isNull();
        assertThat(put(two, FIRST, 3, new byte[0])).isNull();
        assertThat(reassembly.reserved()).isEqualTo(7);
        assertThat(put(one, 0, 0, (byte) 2, (byte) 3)).isNull();
        ByteBuffer second = put(two, LAST, 0, (byte) 7, (byte) 8, (byte) 9);
        assertThat(reassembly.reserved()).isEqualTo(4);
        assertThat(one.isOpen()).isTrue();
        ByteBuffer first = put(one, LAST, 0, (byte) 4);
        assertThat(one.isOpen()).isFalse();
        assertThat(first).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}));
        assertThat(second).isEqualTo(ByteBuffer.wrap(new byte[] {7, 8, 9}));
        taken(first);
        taken(second);
    }

    /** Of what has only been announced it has next to nothing, and of what has come in the end not a byte too much. */
    @Test
    void shouldTakeMemoryForWhatHasArrived() throws Exception {
        int total = 1_000_000;
        PartialMessage large = new Reassembly(total, total, buffers).of(3);
        add(large, FIRST, total, 1);
        assertThat(buffers.unfinished).isLessThan(4096);
        int arrived = 1;
        while (total - arrived > 1000) {
            assertThat(add(large, 0, 0, 1000)).isNull();
            arrived += 1000;
            assertThat(buffers.unfinished).isBetween((long) arrived, 4L * arrived);
        }
        ByteBuffer whole = add(large, LAST, 0, total - arrived);
        assertThat(whole.capacity()).isEqualTo(total);
        assertThat(whole.remaining()).isEqualTo(total);
        assertThat(buffers.unfinished).isZero();
        assertThat(buffers.sizes).hasSizeLessThan(8);
        taken(whole);
    }

    @Test
    void shouldKeepItsBytesWhenItGrows() throws Exception {
        byte[] part = new byte[1000];
        PartialMessage large = new Reassembly(9000, 9000, buffers).of(3);
        ByteBuffer whole = null;
        for (int i = 0; i < 9; i++) {
            Arrays.fill(part, (byte) i);
            whole = put(large, i == 0 ? FIRST : i == 8 ? LAST : 0, 9000, part);
        }
        for (int i = 0; i < 9000; i++) {
            assertThat(whole.get(i)).isEqualTo((byte) (i / 1000));
        }
        taken(whole);
    }

    @Test
    void shouldTakeTheLargestMessageAndRefuseOneByteMore() throws Exception {
        assertThat(add(one, FIRST | LAST, 100, 100)).isNull();
        refused(() -> add(one, FIRST | LAST, 101, 101), "a message of 101 bytes on stream 1; the handshake allowed 100");
        add(one, FIRST, 100, 1);
        taken(add(one, LAST, 0, 99));
        refused(() -> add(one, FIRST, 101, 1), "a message of 101 bytes on stream 1; the handshake allowed 100");
        refused(() -> add(one, FIRST, Integer.MAX_VALUE, 1), "a message of 2147483647 bytes");
    }

    @Test
    void shouldTakeTheWholeBudgetAndRefuseOneByteMore() throws Exception {
        add(one, FIRST, 100, 1);
        refused(() -> add(two, FIRST, 51, 1), "a message of 51 bytes in parts on stream 2, with 100 bytes of others unfinished;"
                + " the handshake allowed 150 together");
        add(two, FIRST, 50, 1);
        taken(add(one, LAST, 0, 99));
        add(one, FIRST, 100, 1);
    }

    @Test
    void shouldRefuseABeginningWithinAMessage() throws Exception {
        add(one, FIRST, 10, 3);
        refused(() -> add(one, FIRST, 10, 3), "a message begins where 7 bytes of another are missing");
        assertThat(buffers.out).isEmpty();
        add(one, FIRST, 10, 3);
        refused(() -> add(one, FIRST | LAST, 3, 3), "a message begins where 7 bytes of another are missing");
        assertThat(buffers.out).isEmpty();
    }

    @Test
    void shouldRefuseAPartWithoutABeginning() {
        refused(() -> add(one, 0, 0, 3), "malformed stream 1: a part of a message whose beginning is missing");
        refused(() -> add(two, LAST, 0, 3), "malformed stream 2: a part of a message whose beginning is missing");
    }

    @Test
    void shouldRefusePartsThatDoNotAddUp() throws Exception {
        add(one, FIRST, 10, 3);
        refused(() -> add(one, 0, 0, 8), "8 bytes of a message that misses 7");
        add(one, FIRST, 10, 3);
        refused(() -> add(one, LAST, 0, 6), "a message of 10 bytes ends after 9");
        add(one, FIRST, 10, 3);
        refused(() -> add(one, 0, 0, 7), "a message of 10 bytes does not end there");
        add(one, FIRST, 10, 3);
        refused(() -> add(one, 0, 0, 0), "without a byte");
        assertThat(buffers.out).isEmpty();
    }

    @Test
    void shouldFreeWhatIsCancelledInTheMiddle() throws Exception {
        add(one, FIRST, 10, 3);
        one.discard();
        assertThat(buffers.out).isEmpty();
        assertThat(one.isOpen()).isFalse();
        refused(() -> add(one, LAST, 0, 7), "whose beginning is missing");
        one.discard();
    }

    @Test
    void shouldReserveNothingWhenThereIsNoMemory() {
        Reassembly poor = new Reassembly(100, 100, new BufferSource() {
            @Override
            public ByteBuffer allocate(int bytes, int most) {
                throw new OutOfMemoryError("test");
            }

            @Override
            public void finished(ByteBuffer buffer) {
            }

            @Override
            public void free(ByteBuffer buffer) {
            }
        });
        assertThatThrownBy(() -> add(poor.of(1), FIRST, 10, 3)).isInstanceOf(OutOfMemoryError.class);
        assertThat(poor.reserved()).isZero();
    }
}
