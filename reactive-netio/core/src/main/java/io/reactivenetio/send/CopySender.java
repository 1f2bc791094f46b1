// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.diagnostics.UnflippedBuffers;
import io.reactivenetio.transport.backend.SendBuffer;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jctools.queues.varhandle.SpmcVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * Sends copies of the elements. It requests exactly as many elements as it has send buffers in hand, so {@code onNext} always
 * finds one. {@code onNext} copies the element there, on the upstream's thread and without allocation, and queues the buffer for
 * the loop.
 *
 * <p>A send buffer is owned by one at a time: by the backend; by {@link #reserved}, where the loop puts it, and where {@code
 * onNext} takes it from, or the loop when the sender is done; by {@link #filled}, where {@code onNext} puts it and the loop takes
 * it from; and by the backend again.
 */
public final class CopySender extends BufferSender<ByteBuffer> implements CopySource {
    private final BufferChannel channel;
    private final boolean emptyAllowed;
    private final SpmcVarHandleArrayQueue<SendBuffer> reserved;
    private final SpmcVarHandleArrayQueue<SendBuffer> filled; // not Spsc: a loop that ends and the upstream may both take

    // loop-confined
    private @Nullable StagingBuffer staging;
    private boolean stagingOut;

    public CopySender(BufferChannel channel, CoreSubscriber<? super Void> actual, boolean untilDelivered, boolean emptyAllowed) {
        super(channel, actual, untilDelivered);
        this.channel = channel;
        this.emptyAllowed = emptyAllowed;
        this.reserved = new SpmcVarHandleArrayQueue<>(channel.buffers() + 1);
        this.filled = new SpmcVarHandleArrayQueue<>(channel.buffers() + 1);
    }

    @Override
    int room() {
        return channel.buffers();
    }

    @Override
    protected int waiting() {
        return filled.size();
    }

    @Override
    public boolean hasNext() {
        return !filled.isEmpty();
    }

    /** How many buffers hold elements, or are reserved for elements that were requested. */
    int inHand() {
        return reserved.size() + filled.size();
    }

    @Override
    public void onNext(ByteBuffer element) {
        Objects.requireNonNull(element, "§2.13: element");
        if (isOver()) {
            Operators.onNextDropped(element, currentContext());
            return;
        }
        int bytes = element.remaining();
        if (bytes == 0) {
            UnflippedBuffers.check(element);
        }
        if (bytes > channel.bufferSize() || bytes == 0 && !emptyAllowed) {
            reject(bytes == 0
                    ? new IllegalArgumentException("an empty message ends the stream (EndSignal.EMPTY_MESSAGE): it cannot be"
                            + " data")
                    : new MessageTooLargeException("a message of " + bytes + " bytes does not fit the send buffers of "
                    + channel.bufferSize() + " bytes: use larger send buffers, or smaller messages"));
            return;
        }
        SendBuffer buffer = reserved.poll();
        if (buffer == null) {
            if (!isCancelled()) { // else the cancel, on another thread, has taken the buffers back
                reject(new IllegalStateException("§1.1: the upstream emitted more than was requested"));
            }
            return;
        }
        buffer.data().put(0, element, element.position(), bytes);
        buffer.length(bytes);
        filled.offer(buffer);
        schedule();
    }

    // ---- on the loop

    @Override
    public boolean isNextStaged() {
        return staging != null && filled.peek() instanceof StagingBuffer;
    }

    @Override
    public @Nullable SendBuffer nextInto(SendBuffer buffer) {
        SendBuffer next = next();
        if (!(next instanceof StagingBuffer staged)) {
            buffer.release(); // the loop has ended meanwhile, and its thread has taken the staged message
            return next;
        }
        staged.copyTo(buffer);
        stagingOut = false;
        return buffer;
    }

    /** Reserves memory of its own for one element, instead of a send buffer. Returns false if that memory is in use. */
    boolean reserveStaging(int size) {
        if (stagingOut) {
            return false;
        }
        StagingBuffer own = staging;
        if (own == null) {
            own = new StagingBuffer(size);
            staging = own;
        }
        stagingOut = true;
        reserved.offer(own);
        return true;
    }

    @Override
    public @Nullable SendBuffer next() {
        SendBuffer buffer = filled.poll();
        if (buffer != null) {
            taken();
        }
        return buffer;
    }

    void reserve(SendBuffer buffer) {
        reserved.offer(buffer);
    }

    @Override
    void giveBackWaiting() {
        SendBuffer buffer;
        while ((buffer = filled.poll()) != null) {
            buffer.release();
        }
    }

    @Override
    void giveBackReserved() {
        SendBuffer buffer;
        while ((buffer = reserved.poll()) != null) {
            buffer.release();
        }
    }
}
