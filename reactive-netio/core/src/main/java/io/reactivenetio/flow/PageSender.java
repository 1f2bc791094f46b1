// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import io.reactivenetio.transport.MessageTooLargeException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jctools.queues.varhandle.SpmcVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * Sends messages in pages that it shares with others. Each element is copied before {@code onNext} returns: into the page in
 * hand, if it comes on the loop, or else to wait here for the loop. What it waits in is used again, so that nothing is allocated
 * for an element.
 */
final class PageSender<T> extends Sender<T> {
    private final PagePacker packer;
    private final Packing<? super T> packing;
    private final boolean emptyAllowed;
    private final SpmcVarHandleArrayQueue<WaitingMessage> waiting = new SpmcVarHandleArrayQueue<>(RequestWindow.MOST);
    private final RequestWindow window = new RequestWindow();
    /** What has not left; null if it waits for what has been delivered. */
    private final @Nullable MessagesInPages underWay;

    // the upstream's
    private @Nullable SpmcVarHandleArrayQueue<WaitingMessage> pool;
    private boolean waitedBefore;

    // loop-confined
    private boolean prompt = true; // as far as is known

    PageSender(PagePacker packer, CoreSubscriber<? super Void> actual, boolean untilDelivered, boolean emptyAllowed,
            Packing<? super T> packing) {
        super(packer, actual, untilDelivered);
        this.packer = packer;
        this.packing = packing;
        this.emptyAllowed = emptyAllowed;
        this.underWay = untilDelivered ? null : new MessagesInPages();
    }

    @Override
    int room() {
        return RequestWindow.MOST;
    }

    @Override
    protected int waiting() {
        return waiting.size();
    }

    @Override
    public boolean hasNext() {
        return !waiting.isEmpty();
    }

    @Override
    public void onNext(T element) {
        Objects.requireNonNull(element, "§2.13: element");
        if (isOver()) {
            Operators.onNextDropped(element, currentContext());
            return;
        }
        ByteBuffer payload = packing.payload(element);
        int status = packing.status(element);
        int bytes = payload.remaining();
        if (bytes > packer.largest(status) || bytes == 0 && !emptyAllowed) {
            reject(bytes == 0
                    ? new IllegalArgumentException("an empty message ends the stream (RawEnd.EMPTY_MESSAGE): it cannot be data")
                    : new MessageTooLargeException("a message of " + bytes + " bytes does not fit a page of " + packer.pageSize()
                    + " bytes, which takes at most " + packer.largest(status) + ": use larger send buffers or smaller messages"));
            return;
        }
        window.seen(bytes);
        if (loop().inEventLoop() && waiting.isEmpty() && window.unused() > 0
                && packer.append(this, packing.tag(element), status, payload, payload.position(), bytes)) {
            return;
        }
        if (waiting.offer(empty(bytes).fill(packing.tag(element), status, payload))) {
            schedule();
        } else {
            reject(new IllegalStateException("§1.1: the upstream emitted more than was requested"));
        }
    }

    /** One to be filled. Who sends one message and no more needs no pool of them. */
    private WaitingMessage empty(int bytes) {
        SpmcVarHandleArrayQueue<WaitingMessage> used = pool;
        if (used == null && waitedBefore) {
            used = new SpmcVarHandleArrayQueue<>(RequestWindow.MOST);
            pool = used;
        }
        waitedBefore = true;
        WaitingMessage message = used == null ? null : used.poll();
        return message != null ? message : new WaitingMessage(bytes, used);
    }

    // ---- on the loop

    /**
     * Moves a message that waits into a page, or asks the upstream for some; for one, if there are {@code others} and it answers
     * at once. False if there is no page for it.
     */
    boolean give(boolean others) {
        WaitingMessage message = waiting.peek();
        if (message == null && wantsMore()) {
            long free = window.free();
            long n = others && prompt ? Math.min(1, free) : free;
            if (n > 0) {
                window.asked(n);
                requestUpstream(n);
                prompt = window.unused() <= waiting.size();
            }
            message = waiting.peek();
        }
        if (message == null) {
            return true;
        }
        if (!packer.append(this, message.tag(), message.status(), message.data(), 0, message.length())) {
            return false;
        }
        waiting.poll();
        message.recycle(RequestWindow.BYTES);
        return true;
    }

    /** An element is in the page with this number. */
    void packed(long page) {
        window.gone();
        taken();
        posted(page);
        if (underWay != null) {
            underWay.add(page, packer.transmittedPages());
        }
    }

    @Override
    long transmittedMessages() {
        return underWay == null ? 0 : underWay.left(packer.transmittedPages());
    }

    /** Elements that are in pages. */
    long arrived() {
        return window.arrived();
    }

    /** Pages leave in order, each with elements of many senders. */
    @Override
    boolean leavesInOrder() {
        return true;
    }

    @Override
    void giveBackReserved() {
        // nothing is kept for those that have not come
    }

    @Override
    void giveBackWaiting() {
        waiting.clear();
    }
}
