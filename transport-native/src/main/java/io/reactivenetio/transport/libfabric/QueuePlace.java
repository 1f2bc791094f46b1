// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.FiCompletionQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The place of one endpoint in a completion queue, which it has for itself or shares. Confined to the loop.
 *
 * <p>An endpoint is told of completions after it has activated its place for the first time, which it does when it is connected.
 * A shared queue is read for the others before, and what is there for this endpoint waits.
 */
final class QueuePlace {
    final CompletionQueue.Owner owner;
    /** Whether the batch that is being read has something for it. */
    boolean touched;
    /** What was read before the endpoint was connected, in order. Empty afterwards. */
    final List<Runnable> early = new ArrayList<>(0);
    private boolean ready;
    /** How many batches have had something for it. */
    int batches;
    private final CompletionQueue queue;
    /** Null if no other endpoint uses the queue. */
    private final @Nullable SharedCompletions sharing;
    private final int number;

    QueuePlace(CompletionQueue queue, @Nullable SharedCompletions sharing, CompletionQueue.Owner owner, int number) {
        this.queue = queue;
        this.sharing = sharing;
        this.owner = owner;
        this.number = number;
    }

    FiCompletionQueue queue() {
        return queue.queue();
    }

    /** Returns what shares the queue; only if it is shared. */
    SharedCompletions sharing() {
        return Objects.requireNonNull(sharing);
    }

    int number() {
        return number;
    }

    /** What the contexts of its operations have in common: a completion of a shared queue finds its owner by it. */
    long owner() {
        return OpContext.owner(number);
    }

    /** Whether the endpoint may be told of completions. */
    boolean isReady() {
        return ready;
    }

    /** The endpoint is connected. */
    void admit() {
        if (!ready) {
            ready = true;
            queue.idle = false; // what waits is in no queue of libfabric's
        }
    }

    /** Something was posted: completions may come now. */
    void activate() {
        admit();
        queue.activate();
    }

    /** Reads what has arrived for this endpoint so far. */
    void drain() {
        if (sharing == null) {
            queue.drain();
        } else {
            ready = true;
            sharing.drain(this);
        }
    }

    /** After its endpoint is closed, and drained. */
    void leave() {
        if (sharing == null) {
            queue.close();
        } else {
            sharing.leave(this);
        }
    }
}
