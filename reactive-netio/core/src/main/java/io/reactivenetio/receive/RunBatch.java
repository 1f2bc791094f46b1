// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import io.reactivenetio.api.Lease;
import io.reactivenetio.api.MessageBatch;
import io.reactivenetio.lease.CheckedBuffer;
import io.reactivenetio.lease.LeaseWindow;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.wire.FrameReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Operators;

/**
 * The batch that a subscriber is given again and again: the messages of a {@link MessageRun}. It finds them itself, as far as
 * {@link FollowingMessages} allows, and tells the run of them in one go. On the loop.
 */
final class RunBatch implements ElementMapper<MessageBatch>, MessageBatch {
    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    private final EventLoop loop;
    private final RunTally tally;
    private final BooleanSupplier wanted;
    private final ByteOrder order;
    private final int most;
    private final LeaseWindow leases;
    private final String origin;
    /** How many messages the peer was asked for by batches that had room for more. Any thread. */
    private final AtomicLong spare = new AtomicLong();
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(MessageRun.SMALL);

    private boolean open;
    private boolean begun;
    private boolean exhausted;
    private int shown;
    /** Where the messages come from, while the batch is open. */
    private @Nullable MessageRun run;
    private long tag;
    private int status;

    private ByteBuffer memory = NONE;
    private boolean swap;
    private int offset;
    private int length;
    private @Nullable ByteBuffer view;
    private @Nullable CheckedBuffer checked;

    // the messages behind that of the run, as far as they were found
    private @Nullable FollowingMessages following;
    private long mayFollow;
    private int at;
    private int end;
    private int longest;
    private int found;
    private long foundBytes;
    private int largest;

    /**
     * A batch of {@code most} messages at most. {@code tally}: what is delivered of a run. {@code wanted}: whether the subscriber
     * wants more. {@code leases} and {@code origin}: what makes leases on messages that are retained, and where the user has
     * asked for them.
     */
    RunBatch(EventLoop loop, RunTally tally, BooleanSupplier wanted, ByteOrder order, int most, LeaseWindow leases,
            String origin) {
        this.loop = loop;
        this.tally = tally;
        this.wanted = wanted;
        this.order = order;
        this.most = most;
        this.leases = leases;
        this.origin = origin;
    }

    @Override
    public long missing(long batches) {
        long wanted = Operators.multiplyCap(batches, most);
        long before = spare.getAndUpdate(left -> Math.max(0, left - wanted));
        return wanted == Long.MAX_VALUE ? wanted : Math.max(0, wanted - before);
    }

    // ---- a batch begins and ends

    @Override
    public boolean mayRunAhead() {
        return false;
    }

    @Override
    public MessageBatch map(MessageRun messages) {
        run = messages;
        open = true;
        begun = false;
        exhausted = false;
        shown = 1;
        show(messages);
        return this;
    }

    @Override
    public boolean findsFollowing() {
        return true;
    }

    @Override
    public boolean next(MessageRun messages) {
        finish();
        return !exhausted && messages.next();
    }

    /** Ends the batch, and passes over the messages that its subscriber has not moved to. */
    private void finish() {
        while (shown < most && mayAdvance()) {
        }
        settle();
        hide();
        open = false;
        run = null;
        following = null;
        memory = NONE;
        spare.addAndGet(most - shown);
    }

    // ---- going on

    @Override
    public boolean next() {
        if (!open || !loop.inEventLoop()) {
            throw over();
        }
        if (!begun) {
            begun = true;
            return true;
        }
        return shown < most && mayAdvance();
    }

    private boolean mayAdvance() {
        return wanted.getAsBoolean() && advance();
    }

    private boolean advance() {
        if (exhausted) {
            return false;
        }
        if (found < mayFollow) {
            FollowingMessages messages = Objects.requireNonNull(following);
            int bytes = FrameReader.following(memory, at, end, longest);
            if (bytes >= 0 && messages.goesOn()) {
                offset = at + FrameReader.FOLLOWING_HEADER;
                at = offset + bytes;
                length = bytes;
                status = 0;
                found++;
                foundBytes += bytes;
                largest = Math.max(largest, bytes);
                shown++;
                hide();
                return true;
            }
        }
        settle();
        hide();
        MessageRun messages = Objects.requireNonNull(run);
        exhausted = !messages.next();
        if (!exhausted) {
            show(messages);
            tally.count(messages.length());
            shown++;
        }
        return !exhausted;
    }

    /** Tells the run which messages behind the one that it stands at were found. */
    private void settle() {
        if (found > 0) {
            FollowingMessages messages = Objects.requireNonNull(following);
            messages.show(offset, length);
            messages.skipTo(found, largest, offset, length);
            tally.count(found, foundBytes, largest);
            found = 0;
            foundBytes = 0;
            largest = 0;
        }
        mayFollow = 0;
    }

    private void show(MessageRun messages) {
        memory = messages.inMemory();
        swap = memory.order() != order;
        offset = messages.offset();
        length = messages.length();
        tag = messages.tag();
        status = messages.status();
        following = messages instanceof FollowingMessages more ? more : null;
        if (following != null) {
            // the last that may come is left to the run: the subscriber may ask for more meanwhile
            mayFollow = following.following() - 1;
            if (mayFollow > 0) {
                at = following.behind();
                end = following.end();
                longest = following.largestFollowing();
            }
        }
    }

    /** Takes back the view of the message that was shown last. */
    private void hide() {
        view = null;
        CheckedBuffer copy = checked;
        if (copy != null) {
            checked = null;
            copy.close();
        }
    }

    // ---- the message

    private static IllegalStateException over() {
        return new IllegalStateException("this MessageBatch is over: it is valid within onNext, on the loop. Read it in a map"
                + " before concatMap, publishOn and the like, and keep copy(); or use receive()");
    }

    private void checkMessage() {
        if (!open) {
            throw over();
        }
        if (!begun || exhausted) {
            throw new IllegalStateException(begun ? "next() has returned false: this MessageBatch has no more messages"
                    : "call next() before the first message of a MessageBatch");
        }
    }

    private int at(int index, int bytes) {
        checkMessage();
        return offset + Objects.checkFromIndexSize(index, bytes, length);
    }

    @Override
    public int length() {
        checkMessage();
        return length;
    }

    @Override
    public long tag() {
        checkMessage();
        return tag;
    }

    @Override
    public int status() {
        checkMessage();
        return status;
    }

    @Override
    public ByteBuffer data() {
        checkMessage();
        ByteBuffer shown = view;
        if (shown == null) {
            shown = MessageRun.view(memory, offset, length, scratch);
            if (CheckedBuffer.ENABLED) {
                checked = CheckedBuffer.confined(shown);
                shown = checked.data();
            }
            view = shown;
        }
        return shown.order(order);
    }

    @Override
    public ByteBuffer copy() {
        checkMessage();
        return ByteBuffer.allocate(length).put(0, memory, offset, length).order(order);
    }

    @Override
    public Lease retain() {
        checkMessage();
        settle();
        return leases.leaseNow(Objects.requireNonNull(run), origin);
    }

    @Override
    public byte getByte(int index) {
        return memory.get(at(index, Byte.BYTES));
    }

    @Override
    public short getShort(int index) {
        short value = memory.getShort(at(index, Short.BYTES));
        return swap ? Short.reverseBytes(value) : value;
    }

    @Override
    public int getInt(int index) {
        int value = memory.getInt(at(index, Integer.BYTES));
        return swap ? Integer.reverseBytes(value) : value;
    }

    @Override
    public long getLong(int index) {
        long value = memory.getLong(at(index, Long.BYTES));
        return swap ? Long.reverseBytes(value) : value;
    }
}
