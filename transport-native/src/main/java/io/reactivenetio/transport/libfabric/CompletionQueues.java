// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.Fi;
import io.reactivenetio.ffm.fabric.FiDomain;
import io.reactivenetio.ffm.fabric.FiFabric;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.LoopPoller;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides when each completion queue is read. A queue is <em>active</em> (read every turn), <em>armed</em> (its descriptor in
 * epoll, entered only after fi_trywait said it may be, unless it has none: {@link WaitNoneQueues}) or <em>resting</em>.
 *
 * <p>Resting exists because a tcp endpoint that has no receive posted while data waits keeps its descriptor readable and
 * fi_trywait at -FI_EAGAIN for as long as that lasts: waiting on it would spin. Such a queue leaves epoll. It is read after
 * rests of its own that double while nothing comes of it, or at once when a receive or send is posted. The other queues are not
 * affected, and a thousand that rest cost next to nothing. A queue of several endpoints, of which only some are starved, stays
 * in epoll as it rests, edge-triggered: what comes for the others wakes the loop, and what waits does not. Which endpoints share
 * one, {@link DomainQueues} says.
 */
class CompletionQueues implements LoopPoller {
    /** Refusals of fi_trywait for an idle queue, after which the queue rests although it has receives posted. */
    private static final int MAX_IDLE_CHECKS = 64;
    /**
     * Empty reads in a row, after which a loop that is always busy arms the queue all the same. Reading a queue costs each turn,
     * and a thousand empty ones cost more than the busy one. While few are active, reading them is cheaper than being woken, and
     * sooner.
     */
    private static final int MAX_EMPTY_READS = 256;
    private static final int FEW_ACTIVE = 8;

    private final EventLoop loop;
    private final FiFabric fabric;
    /**
     * Queues that rest, or were armed when there may have been no free shared receive. fi_trywait of tcp 1.17 reads from the
     * socket itself, after its check. So nothing more may arrive that would wake such a queue.
     */
    private final Deque<CompletionQueue> waitingForSharedReceive = new ArrayDeque<>();
    /**
     * Whether a queue that was checked before may have completions that are not read yet. The shared receives of these count as
     * posted still, but the provider had none for the queues that are checked after it.
     */
    private boolean unreadCompletions;
    /** The event queue whose descriptor wakes the loop for all completion queues. Null if each has a descriptor of its own. */
    private final @Nullable ConnectionEvents wakingEvents;
    private final WaitNoneQueues waitNone = new WaitNoneQueues();
    private @Nullable CompletionQueue[] active = new @Nullable CompletionQueue[16];
    private int activeCount;
    private long reads;

    CompletionQueues(EventLoop loop, FiFabric fabric) {
        this(loop, fabric, null);
    }

    /** With {@code wakingEvents} the queues have no descriptors, see {@link WaitNoneQueues}. */
    CompletionQueues(EventLoop loop, FiFabric fabric, @Nullable ConnectionEvents wakingEvents) {
        this.loop = loop;
        this.fabric = fabric;
        this.wakingEvents = wakingEvents;
    }

    /** Opens a queue of {@code size} entries. It is read from the first {@link #activate} on. */
    CompletionQueue open(FiDomain domain, int size, CompletionQueue.Owner owner) {
        return new CompletionQueue(this, loop, domain.openCompletionQueue(size, wakingEvents == null), owner);
    }

    /** Whether the queues have no descriptors: whoever reads one moves the data of all endpoints. */
    boolean areSilent() {
        return wakingEvents != null;
    }

    /** Makes a queue active: it is read from this turn on, until it is idle. */
    void activate(CompletionQueue queue) {
        if (queue.state == CompletionQueue.State.ACTIVE || queue.state == CompletionQueue.State.CLOSED) {
            return;
        }
        if (queue.waitNoneIndex >= 0) {
            waitNone.remove(queue);
        }
        enter(queue);
        queue.emptyReads = 0;
        loop.pollAgain();
    }

    /** Reads a queue that has rested, but only once: a busy loop must not read a thousand of them again and again. */
    void readOnce(CompletionQueue queue) {
        enter(queue);
        queue.emptyReads = MAX_EMPTY_READS - 1;
        loop.pollAgain();
    }

    private void enter(CompletionQueue queue) {
        queue.enter();
        queue.idleChecks = 0;
        if (activeCount == active.length) {
            active = Arrays.copyOf(active, activeCount * 2);
        }
        active[activeCount++] = queue;
    }

    @Override
    public int poll() {
        int work = 0;
        boolean mustSettle = false;
        reads += activeCount;
        for (int i = 0; i < activeCount; i++) {
            CompletionQueue queue = at(i);
            if (queue.state == CompletionQueue.State.CLOSED) {
                mustSettle = true;
                continue;
            }
            int entries = queue.read();
            work += entries;
            queue.emptyReads = entries > 0 ? 0 : queue.emptyReads + 1;
            mustSettle |= queue.emptyReads >= MAX_EMPTY_READS && activeCount > FEW_ACTIVE;
        }
        if (mustSettle) {
            settleEmpty(); // a loop that is always busy never calls mayWait
        }
        waitNone.trySome(this);
        if (work > 0 && wakingEvents != null) {
            wakingEvents.wokeForData();
        }
        return work;
    }

    /** Never runs while queues are read: a callback may activate a settled queue, which would then be in the array twice. */
    private void settleEmpty() {
        unreadCompletions = true; // a queue may hold more than one batch
        try {
            for (int i = activeCount - 1; i >= 0; i--) {
                CompletionQueue queue = at(i);
                if (queue.state != CompletionQueue.State.ACTIVE || (queue.emptyReads >= MAX_EMPTY_READS && settle(queue))) {
                    active[i] = null;
                } else if (queue.emptyReads >= MAX_EMPTY_READS) {
                    queue.emptyReads = 0; // fi_trywait refused it: it is asked again later
                }
            }
        } finally {
            compactActive();
        }
    }

    /** Begins with the queue that became active last: those that fi_trywait never lets sleep are in front. */
    @Override
    public boolean mayWait() {
        unreadCompletions = false;
        try {
            for (int i = activeCount - 1; i >= 0; i--) {
                CompletionQueue queue = at(i);
                if (queue.state != CompletionQueue.State.ACTIVE || settle(queue)) {
                    active[i] = null;
                }
            }
        } finally {
            compactActive();
        }
        if (activeCount == 0) {
            waitNone.tryAll(this); // the others, and the event queue, move their data as well
        }
        return activeCount == 0;
    }

    /** Activates a queue without a descriptor if there is something to read in it. Returns whether it did. */
    boolean activateIfReady(CompletionQueue queue) {
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

    private void compactActive() {
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

    /** Arms or rests a queue that has nothing to read. Returns false if it stays active. */
    private boolean settle(CompletionQueue queue) {
        if (!queue.idle) {
            queue.idleChecks = 0;
            unreadCompletions = true;
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
        unreadCompletions = true;
        if (queue.isAnyStarved() || ++queue.idleChecks > MAX_IDLE_CHECKS) {
            rest(queue);
            return true;
        }
        return false;
    }

    private void arm(CompletionQueue queue) {
        try {
            queue.arm();
        } catch (RuntimeException e) {
            refused(queue, e);
            rest(queue);
            return;
        }
        if (wakingEvents != null) {
            waitNone.add(queue);
        } else if (queue.sharesReceives() && (unreadCompletions || queue.isAnyStarved())) {
            activateOnSharedReceive(queue);
        }
    }

    /** The kernel has no room for it: it is read now and then instead. */
    private void refused(CompletionQueue queue, RuntimeException e) {
        if (!queue.epollRefused) {
            queue.epollRefused = true;
            loop.report(e);
        }
    }

    private void rest(CompletionQueue queue) {
        if (queue.watchesChanges()) {
            try {
                queue.watchChanges();
            } catch (RuntimeException e) {
                refused(queue, e);
            }
        }
        queue.restForAWhile();
        if (queue.sharesReceives()) {
            activateOnSharedReceive(queue);
        }
    }

    private void activateOnSharedReceive(CompletionQueue queue) {
        if (!queue.waitsForSharedReceive) {
            queue.waitsForSharedReceive = true;
            waitingForSharedReceive.add(queue);
        }
    }

    /** The queue rests until its owner, which is told now, has closed it. Asked again, it would fail again in each turn. */
    private static void fail(CompletionQueue queue, int code) {
        queue.rest();
        queue.fail(code);
    }

    /** Activates the queues that may have waited for a shared receive: one was posted, and posting wakes no queue. */
    void sharedReceivePosted() {
        CompletionQueue queue;
        while ((queue = waitingForSharedReceive.poll()) != null) {
            queue.waitsForSharedReceive = false;
            activate(queue);
        }
    }

    int tryWait(CompletionQueue queue) {
        return fabric.tryWait(queue.queue());
    }

    /** The number of reads of all queues so far. */
    long reads() {
        return reads;
    }

    void remove(CompletionQueue queue) {
        if (queue.waitNoneIndex >= 0) {
            waitNone.remove(queue);
        }
        if (queue.waitsForSharedReceive) {
            waitingForSharedReceive.remove(queue);
        }
    }
}
