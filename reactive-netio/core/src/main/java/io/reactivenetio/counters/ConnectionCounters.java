// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.counters;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts what a connection does. The loop writes the counts, but for leases that other threads give back. Any thread may read
 * them.
 */
public final class ConnectionCounters {
    private final Counter receivedMessages = new Counter();
    private final Counter receivedBytes = new Counter();
    private final Counter sentMessages = new Counter();
    private final Counter sentBytes = new Counter();
    private final Counter noResources = new Counter();
    private final Counter heldBytes = new Counter();
    private final Counter maxHeldBytes = new Counter();
    private final Counter heldBuffers = new Counter();
    private final Counter discardedMessages = new Counter();
    private final Counter leases = new Counter();
    private final Counter leaseCopies = new Counter();
    private final AtomicInteger leasedBuffers = new AtomicInteger();
    private final AtomicInteger leasedCopies = new AtomicInteger();

    /** How many messages were handed to the receiver's subscriber or wait for its demand. */
    public long receivedMessages() {
        return receivedMessages.get();
    }

    public long receivedBytes() {
        return receivedBytes.get();
    }

    /** How many messages were accepted by the backend, or put into a page. */
    public long sentMessages() {
        return sentMessages.get();
    }

    public long sentBytes() {
        return sentBytes.get();
    }

    /** How often a sender found no resources, or had to wait for an acknowledgement, and stopped asking its upstream. */
    public long noResources() {
        return noResources.get();
    }

    /** How many bytes of messages wait in receive buffers for demand. */
    public long heldBytes() {
        return heldBytes.get();
    }

    public long maxHeldBytes() {
        return maxHeldBytes.get();
    }

    /** How many receive buffers, and so credits, those messages occupy. */
    public long heldBuffers() {
        return heldBuffers.get();
    }

    /** How many messages arrived and were given to nobody, because their stream was cancelled, or closed while they waited. */
    public long discardedMessages() {
        return discardedMessages.get();
    }

    /** How many receive buffers, and so credits, leases hold. */
    public int leasedBuffers() {
        return leasedBuffers.get();
    }

    /** How many messages have leases on a copy, and hold no receive buffer. */
    public int leasedCopies() {
        return leasedCopies.get();
    }

    /** How many messages became copies because no further receive buffer might be leased. */
    public long leaseCopies() {
        return leaseCopies.get();
    }

    /** Counts messages that went to the backend, or into a page. On the loop. */
    public void countSent(long messages, long bytes) {
        sentMessages.add(messages);
        sentBytes.add(bytes);
    }

    /** Counts that a sender found no resources. On the loop. */
    public void countNoResources() {
        noResources.add(1);
    }

    /** Counts messages that arrived and were asked for, or wait. On the loop. */
    public void countReceived(long messages, long bytes) {
        receivedMessages.add(messages);
        receivedBytes.add(bytes);
    }

    /** Counts messages that arrived and are given to nobody. On the loop. */
    public void countDiscarded(int messages) {
        discardedMessages.add(messages);
    }

    /** Notes how many bytes receive buffers held at one time. On the loop. */
    public void sawHeld(long bytes) {
        maxHeldBytes.max(bytes);
    }

    /** Counts a message, or a page of them, that waits in its receive buffer. On the loop. */
    public void hold(int bytes) {
        heldBuffers.add(1);
        heldBytes.add(bytes);
        maxHeldBytes.max(heldBytes.get());
    }

    /** Counts that such a message or page does not wait any more. On the loop. */
    public void unhold(int bytes) {
        heldBuffers.add(-1);
        heldBytes.add(-bytes);
    }

    /** Counts a lease that was given out. On the loop. */
    public void countLease() {
        leases.add(1);
    }

    /** How many leases were given out so far, but for those on copies. */
    public long leases() {
        return leases.get();
    }

    /** Counts a copy that was given out, because no further receive buffer might be leased. On the loop. */
    public void countLeasedCopy() {
        leaseCopies.add(1);
        leasedCopies.incrementAndGet();
    }

    /** Counts that the last lease on a copy was given back. Any thread. */
    public void leasedCopyGone() {
        leasedCopies.decrementAndGet();
    }

    /** Counts a receive buffer that leases hold from now on. On the loop. */
    public void bufferLeased() {
        leasedBuffers.incrementAndGet();
    }

    /** Counts a receive buffer that leases do not hold any more. Any thread. */
    public void leasedBufferGone() {
        leasedBuffers.decrementAndGet();
    }
}
