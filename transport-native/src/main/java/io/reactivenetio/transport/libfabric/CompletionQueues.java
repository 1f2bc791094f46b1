// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.Fi;
import io.reactivenetio.ffm.FiDomain;
import io.reactivenetio.ffm.FiFabric;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.LoopPoller;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides when each completion queue is read. A queue is <em>active</em> (read every turn), <em>armed</em> (its descriptor in
 * epoll, entered only after fi_trywait said it may be, unless it has none: {@link SilentQueues}) or <em>resting</em>.
 *
 * <p>Resting exists because a tcp endpoint that has no receive posted while data waits keeps its descriptor readable and
 * fi_trywait at -FI_EAGAIN for as long as that lasts: waiting on it would spin. Such a queue leaves epoll and is looked at after
 * rests of its own that double while nothing comes of it, or at once when a receive or send is posted. The other queues do not
 * notice, and a thousand that rest cost next to nothing.
 *
 * <p>Today every endpoint has a queue of its own; this class is the only one that knows.
 */
class CompletionQueues implements LoopPoller {
    /** Idle looks at a queue that fi_trywait does not let sleep, before it rests even though it has receives posted. */
    private static final int PATIENCE = 64;
    /**
     * Looks of a loop that does not come to rest at a queue that stays empty, before the queue is armed all the same: reading it
     * costs each turn, and a thousand cost more than the one that is busy. As long as few are active that is cheaper than being
     * woken, and sooner.
     */
    private static final int EMPTY_LOOKS = 256;
    private static final int FEW = 8;

    private final EventLoop loop;
    private final FiFabric fabric;
    /**
     * Resting, or armed when there may have been no shared receive to be had: fi_trywait of tcp 1.17 itself reads from the
     * socket, after it has looked, so that nothing more may come to wake the queue.
     */
    private final Deque<CompletionQueue> deaf = new ArrayDeque<>();
    /**
     * Whether a queue of this settling may have completions that are not read yet: the shared receives they have taken count as
     * posted still, but the provider had none for the queues asked after it.
     */
    private boolean taken;
    /** Where the event queue's descriptor tells for all queues: that event queue, and the queues that wait for it. */
    private final @Nullable ConnectionEvents signal;
    private final SilentQueues silent = new SilentQueues();
    private @Nullable CompletionQueue[] active = new @Nullable CompletionQueue[16];
    private int activeCount;
    private long reads;

    CompletionQueues(EventLoop loop, FiFabric fabric) {
        this(loop, fabric, null);
    }

    /** With {@code signal} the queues are silent, see {@link SilentQueues}. */
    CompletionQueues(EventLoop loop, FiFabric fabric, @Nullable ConnectionEvents signal) {
        this.loop = loop;
        this.fabric = fabric;
        this.signal = signal;
    }

    /** A queue of {@code size} entries for one endpoint; it is read from the first {@link #activate} on. */
    CompletionQueue open(FiDomain domain, int size, CompletionQueue.Owner owner) {
        return new CompletionQueue(this, loop, domain.openCompletionQueue(size, signal == null), owner);
    }

    /** Has the queue read from this turn on, until it is idle. */
    void activate(CompletionQueue queue) {
        if (queue.state == CompletionQueue.State.ACTIVE || queue.state == CompletionQueue.State.CLOSED) {
            return;
        }
        if (queue.place >= 0) {
            silent.remove(queue);
        }
        enter(queue);
        queue.emptyLooks = 0;
        loop.pollAgain();
    }

    /** Reads a queue that has rested once: a busy loop has better to do than to read a thousand again and again. */
    void look(CompletionQueue queue) {
        enter(queue);
        queue.emptyLooks = EMPTY_LOOKS - 1;
        loop.pollAgain();
    }

    private void enter(CompletionQueue queue) {
        queue.enter();
        queue.idleLooks = 0;
        if (activeCount == active.length) {
            active = Arrays.copyOf(active, activeCount * 2);
        }
        active[activeCount++] = queue;
    }

    @Override
    public int poll() {
        int work = 0;
        boolean untidy = false;
        reads += activeCount;
        for (int i = 0; i < activeCount; i++) {
            CompletionQueue queue = at(i);
            if (queue.state == CompletionQueue.State.CLOSED) {
                untidy = true;
                continue;
            }
            int entries = queue.read();
            work += entries;
            queue.emptyLooks = entries > 0 ? 0 : queue.emptyLooks + 1;
            untidy |= queue.emptyLooks >= EMPTY_LOOKS && activeCount > FEW;
        }
        if (untidy) {
            tidy(); // a loop that is always busy never asks whether it may wait
        }
        silent.lookAtSome(this);
        if (work > 0 && signal != null) {
            signal.wasUseful();
        }
        return work;
    }

    /** Not while they are read: a callback may activate a queue that was settled, and then it would be here twice. */
    private void tidy() {
        taken = true; // by completions that more than a batch holds
        try {
            for (int i = activeCount - 1; i >= 0; i--) {
                CompletionQueue queue = at(i);
                if (queue.state != CompletionQueue.State.ACTIVE || (queue.emptyLooks >= EMPTY_LOOKS && settle(queue))) {
                    active[i] = null;
                } else if (queue.emptyLooks >= EMPTY_LOOKS) {
                    queue.emptyLooks = 0; // one that may not sleep is asked again later
                }
            }
        } finally {
            closeRanks();
        }
    }

    /** The last to become active first: what never sleeps stands in front, and would have the others believe all is taken. */
    @Override
    public boolean mayWait() {
        taken = false;
        try {
            for (int i = activeCount - 1; i >= 0; i--) {
                CompletionQueue queue = at(i);
                if (queue.state != CompletionQueue.State.ACTIVE || settle(queue)) {
                    active[i] = null;
                }
            }
        } finally {
            closeRanks();
        }
        if (activeCount == 0) {
            silent.lookAtAll(this); // the others, and the event queue, move their data as well
        }
        return activeCount == 0;
    }

    /** True if there is something to read in a silent queue, which is active then. */
    boolean wakes(CompletionQueue queue) {
        int result = tryWait(queue);
        if (result == 0) {
            return false;
        }
        activate(queue);
        if (result != -Fi.FI_EAGAIN) {
            fail(queue, -result);
        }
        return true;
    }

    private CompletionQueue at(int index) {
        return Objects.requireNonNull(active[index]);
    }

    private void closeRanks() {
        int kept = 0;
        for (int i = 0; i < activeCount; i++) {
            CompletionQueue queue = active[i];
            if (queue != null) {
                active[kept++] = queue;
            }
        }
        Arrays.fill(active, kept, activeCount, null);
        activeCount = kept;
    }

    /** Arms or rests a queue that has nothing to read; false if it stays active. */
    private boolean settle(CompletionQueue queue) {
        if (!queue.idle) {
            queue.idleLooks = 0;
            taken = true;
            return false;
        }
        int result = tryWait(queue);
        if (result == 0) {
            arm(queue);
            return true;
        }
        if (result != -Fi.FI_EAGAIN) {
            fail(queue, -result);
            return true;
        }
        taken = true;
        if (queue.starved() || ++queue.idleLooks > PATIENCE) {
            rest(queue);
            return true;
        }
        return false;
    }

    private void arm(CompletionQueue queue) {
        try {
            queue.arm();
        } catch (RuntimeException e) { // the kernel has no room for it: it is looked at now and then instead
            if (!queue.unwatched) {
                queue.unwatched = true;
                loop.report(e);
            }
            rest(queue);
            return;
        }
        if (signal != null) {
            silent.add(queue);
        } else if (queue.sharesReceives() && (taken || queue.starved())) {
            makeDeaf(queue);
        }
    }

    private void rest(CompletionQueue queue) {
        queue.restForAWhile();
        if (queue.sharesReceives()) {
            makeDeaf(queue);
        }
    }

    private void makeDeaf(CompletionQueue queue) {
        if (!queue.deaf) {
            queue.deaf = true;
            deaf.add(queue);
        }
    }

    /** It rests until its owner, told now, has closed it: asked again, it would say the same each turn. */
    private static void fail(CompletionQueue queue, int code) {
        queue.rest();
        queue.broken(code);
    }

    /** Has the queues read that may have waited for a shared receive: one was posted, and posting wakes nobody. */
    void sharedReceivePosted() {
        CompletionQueue queue;
        while ((queue = deaf.poll()) != null) {
            queue.deaf = false;
            activate(queue);
        }
    }

    int tryWait(CompletionQueue queue) {
        return fabric.tryWait(queue.queue());
    }

    /** Reads of all queues so far. */
    long reads() {
        return reads;
    }

    void remove(CompletionQueue queue) {
        if (queue.place >= 0) {
            silent.remove(queue);
        }
        if (queue.deaf) {
            deaf.remove(queue);
        }
    }
}
