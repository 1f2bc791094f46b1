// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base.send;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.backend.SendStatus;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;

/** The sends of other threads (SAFE) that the loop has still to post, in their order. Loop thread, but for {@link #submit}. */
final class SubmittedSends {
    private static final long RETRY_MILLIS = 1;

    private final Transmitter endpoint;
    private final EventLoop loop;
    private final MpscVarHandleArrayQueue<SendOperation> queue;
    private final Runnable poster = this::post;
    private final AtomicBoolean posterScheduled = new AtomicBoolean();
    private boolean posting;
    private boolean retrying;

    /** The queue cannot overflow with {@code most}, the number of sends that can be in flight: so is what is in it. */
    SubmittedSends(Transmitter endpoint, EventLoop loop, int most) {
        this.endpoint = endpoint;
        this.loop = loop;
        this.queue = new MpscVarHandleArrayQueue<>(Math.max(2, most));
    }

    /** Has the loop post {@code operation}. Any thread. */
    void submit(SendOperation operation) {
        if (!queue.offer(operation)) {
            throw new IllegalStateException("more sends than can be in flight");
        }
        if (posterScheduled.compareAndSet(false, true)) {
            try {
                loop.execute(poster);
            } catch (RejectedExecutionException terminating) {
                return; // the loop closes the endpoint, which tells the key
            }
        }
    }

    /** Posts what it can. Returns whether nothing is left. */
    boolean drain() {
        if (queue.isEmpty()) {
            return true;
        }
        post();
        return queue.isEmpty();
    }

    /** Posts the sends in their order. One that the provider cannot take yet waits at the head. */
    void post() {
        posterScheduled.set(false); // before looking: what comes from now on is seen, or schedules anew
        if (posting || endpoint.isClosed()) {
            return;
        }
        posting = true;
        try {
            SendOperation next;
            while ((next = queue.peek()) != null) {
                SendStatus status = next instanceof SendSlot slot ? endpoint.post(slot, slot.level())
                        : endpoint.post((GatherSlot) next, next.level());
                if (status == SendStatus.NO_RESOURCES) {
                    retryLater();
                    return;
                }
                queue.poll();
                if (status == SendStatus.FAILED) {
                    return; // the connection is closing, and its closed callback tells the keys
                }
            }
        } finally {
            posting = false;
        }
    }

    private void retryLater() {
        if (retrying) {
            return;
        }
        retrying = true;
        try {
            loop.schedule(() -> {
                retrying = false;
                post();
            }, RETRY_MILLIS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException terminating) {
            return; // the loop closes the endpoint, which tells the keys
        }
    }
}
