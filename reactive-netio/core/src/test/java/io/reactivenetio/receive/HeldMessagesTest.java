// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.counters.ConnectionCounters;
import io.reactivenetio.lease.PageLeases;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import io.reactivenetio.wire.PageReader;
import io.reactivenetio.wire.PageWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The messages that wait, and the receive buffers that they keep. */
class HeldMessagesTest {
    private final ConnectionCounters counters = new ConnectionCounters();
    private final HeldMessages held = new HeldMessages(counters, 4);
    private final PageWriter writer = new PageWriter();

    /** A receive buffer, which the test has one reference to, as the backend during its callback. */
    private static final class Received implements ReceivedBuffer {
        private final ByteBuffer data;
        private int references = 1;

        Received(ByteBuffer data) {
            this.data = data.order(ByteOrder.LITTLE_ENDIAN);
        }

        @Override
        public ByteBuffer data() {
            return data;
        }

        @Override
        public int length() {
            return data.limit();
        }

        @Override
        public void retain() {
            references++;
        }

        @Override
        public void release() {
            references--;
        }
    }

    private static Received received(long value) {
        return new Received(ByteBuffer.allocate(Long.BYTES).putLong(0, value));
    }

    private Received page(long... values) {
        ByteBuffer page = ByteBuffer.allocate(1024).order(ByteOrder.LITTLE_ENDIAN);
        writer.begin(page);
        for (long value : values) {
            writer.append(7, 0, ByteBuffer.allocate(Long.BYTES).putLong(0, value));
        }
        return new Received(page.limit(writer.size()).slice());
    }

    private static SingleMessage single(Received buffer) {
        return new SingleMessage().begin(buffer).keep();
    }

    private static PageRun run(Received page) {
        PageRun run = new PageRun(false, ByteBuffer.allocateDirect(MessageRun.SMALL));
        assertThat(run.begin(page)).isTrue();
        return run.keep(new PageReader());
    }

    private List<Long> rest() {
        List<Long> values = new ArrayList<>();
        do {
            values.add(held.copy().getLong(0));
        } while (held.next());
        return values;
    }

    @Test
    void shouldBeOneRunThroughAllBuffers() {
        Received first = received(1);
        Received page = page(2, 3, 4);
        Received last = received(5);
        held.add(single(first));
        held.add(run(page));
        held.add(single(last));

        assertThat(held.messages()).isEqualTo(5);
        assertThat(held.bytes()).isEqualTo(8 + page.length() + 8);
        assertThat(counters.heldBuffers()).isEqualTo(3);
        assertThat(held.begin()).isTrue();
        assertThat(rest()).containsExactly(1L, 2L, 3L, 4L, 5L);
        held.end();

        assertThat(held.isEmpty()).isTrue();
        assertThat(held.bytes()).isZero();
        assertThat(counters.heldBuffers()).isZero();
        assertThat(List.of(first, page, last)).allMatch(each -> each.references == 1);
    }

    @Test
    void shouldGiveEachBufferBackBehindItsLastMessage() {
        Received page = page(1, 2);
        held.add(run(page));
        held.add(single(received(3)));
        held.begin();

        assertThat(held.next()).isTrue();
        assertThat(page.references).isEqualTo(2);
        assertThat(held.next()).isTrue();
        assertThat(page.references).isEqualTo(1);
    }

    @Test
    void shouldHaveWhatIsLeftWaitAgain() {
        held.add(run(page(1, 2, 3)));
        held.add(single(received(4)));
        held.begin();
        held.next();
        held.end();

        assertThat(held.messages()).isEqualTo(3);
        assertThat(held.begin()).isTrue();
        assertThat(rest()).containsExactly(2L, 3L, 4L);
    }

    /** A subscriber cancels, or the connection is closed, within onNext. */
    @Test
    void shouldDiscardTheRestOfThePageThatIsBeingDelivered() {
        Received page = page(1, 2, 3);
        Received behind = received(4);
        held.add(run(page));
        held.add(single(behind));
        held.begin();
        held.discard();

        assertThat(held.next()).as("a message after all were discarded").isFalse();
        held.end();
        assertThat(counters.discardedMessages()).isEqualTo(3);
        assertThat(held.isEmpty()).isTrue();
        assertThat(page.references).isEqualTo(1);
        assertThat(behind.references).isEqualTo(1);
    }

    /** What waits afterwards is not discarded with what was. */
    @Test
    void shouldDiscardOnlyOnce() {
        held.add(single(received(1)));
        held.begin();
        held.discard();
        held.end();
        held.add(single(received(2)));

        assertThat(counters.discardedMessages()).as("it stood at a message that was not delivered").isEqualTo(1);
        assertThat(held.begin()).isTrue();
        assertThat(rest()).containsExactly(2L);
    }

    @Test
    void shouldCountTheMessagesOfAPageThatAreLeft() {
        PageRun run = run(page(1, 2, 3));

        assertThat(run.waiting()).isEqualTo(3);
        assertThat(run.waitingBytes()).isEqualTo(24);
        run.next();
        assertThat(run.waiting()).isEqualTo(2);
        assertThat(run.waitingBytes()).isEqualTo(16);
    }

    /** The message is in a buffer of its own already. */
    @Test
    void shouldGiveAwayWhatWasPutTogether() {
        Received page = received(0);
        ByteBuffer exact = ByteBuffer.allocate(100);
        ByteBuffer larger = ByteBuffer.allocate(200).limit(100);
        SingleMessage given = SingleMessage.onHeap(page, new PageLeases(), exact, 1, 0, null);
        SingleMessage copied = SingleMessage.onHeap(page, new PageLeases(), larger, 1, 0, null);

        assertThat(given.copy()).isSameAs(exact);
        assertThat(given.isGiven()).isTrue();
        assertThat(copied.copy().capacity()).isEqualTo(100);
        assertThat(copied.isGiven()).isFalse();
        assertThat(copied.data().capacity()).as("no bytes of others behind it").isEqualTo(100);
        assertThat(copied.whole()).isSameAs(larger);
        assertThat(copied.isGiven()).isTrue();
    }

    @Test
    void shouldKeepNoPageAsACopy() {
        Received page = received(9);
        SingleMessage copy = new SingleMessage().begin(page).withoutPage();
        page.data.putLong(0, 0);

        assertThat(copy.data().getLong(0)).isEqualTo(9);
        held.add(copy.keep());
        held.begin();
        held.next();
        assertThat(page.references).isEqualTo(1);
    }
}
