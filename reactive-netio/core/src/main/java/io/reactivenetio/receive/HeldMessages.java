// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import io.reactivenetio.counters.ConnectionCounters;
import io.reactivenetio.lease.MessageMemory;
import io.reactivenetio.lease.PageLeases;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a stream that wait for demand, as one run through the receive buffers that they keep. Each buffer goes back
 * behind its last message. On the loop.
 */
final class HeldMessages implements MessageRun {
    private final ConnectionCounters counters;
    private final ArrayDeque<HeldRun> runs;
    /** What is being delivered: it is not among {@link #runs}. */
    private @Nullable HeldRun current;
    private long bytes;
    /** Everything was discarded while it was being delivered. */
    private boolean discarded;

    /** {@code credits}: how many runs may have to wait, as a rule. */
    HeldMessages(ConnectionCounters counters, int credits) {
        this.counters = counters;
        this.runs = new ArrayDeque<>(credits + 1);
    }

    boolean isEmpty() {
        return runs.isEmpty() && current == null;
    }

    /** Bytes that are kept. */
    long bytes() {
        return bytes;
    }

    /** How many messages wait. */
    int messages() {
        int messages = 0;
        for (HeldRun run : runs) {
            messages += run.waiting();
        }
        return messages;
    }

    void add(HeldRun run) {
        runs.add(run);
        bytes += run.heldBytes();
        counters.hold(run.heldBytes());
    }

    /** Begins with the first message. False if there is none. */
    boolean begin() {
        current = runs.poll();
        return current != null;
    }

    @Override
    public boolean next() {
        HeldRun run = current();
        if (!discarded && run.next()) {
            return true;
        }
        counters.countDiscarded(discarded ? run.waiting() - 1 : 0);
        letGo(run);
        current = runs.poll();
        return current != null;
    }

    /** The message that it stands at, if it is at one, waits again. */
    void end() {
        HeldRun run = current;
        current = null;
        if (run != null && discarded) {
            counters.countDiscarded(run.waiting());
            letGo(run);
        } else if (run != null) {
            runs.addFirst(run);
        }
        discarded = false;
    }

    /** Gives back what nobody will ask for any more. */
    void discard() {
        counters.countDiscarded(messages());
        HeldRun run;
        while ((run = runs.poll()) != null) {
            letGo(run);
        }
        discarded = current != null;
    }

    private void letGo(HeldRun run) {
        bytes -= run.heldBytes();
        counters.unhold(run.heldBytes());
        run.leave();
    }

    private HeldRun current() {
        return Objects.requireNonNull(current);
    }

    @Override
    public void settle() {
        HeldRun run = current;
        if (run != null) {
            run.settle();
        }
    }

    // ---- the message

    @Override
    public ByteBuffer data() {
        return current().data();
    }

    @Override
    public ByteBuffer copy() {
        return current().copy();
    }

    @Override
    public ByteBuffer inMemory() {
        return current().inMemory();
    }

    @Override
    public ReceivedBuffer page() {
        return current().page();
    }

    @Override
    public int offset() {
        return current().offset();
    }

    @Override
    public @Nullable ByteBuffer whole() {
        return current().whole();
    }

    @Override
    public @Nullable MessageMemory memory() {
        return current().memory();
    }

    @Override
    public PageLeases leases() {
        return current().leases();
    }

    @Override
    public int length() {
        return current().length();
    }

    @Override
    public long tag() {
        return current().tag();
    }

    @Override
    public int status() {
        return current().status();
    }
}
