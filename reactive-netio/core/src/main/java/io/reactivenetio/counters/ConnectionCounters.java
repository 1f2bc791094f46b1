// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.counters;

import java.util.concurrent.atomic.AtomicInteger;

/** What a connection has done so far. Written by its loop, but for leases that other threads give back; read from any thread. */
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

    /** Messages handed to the receiver's subscriber or waiting for its demand. */
    public long receivedMessages() {
        return receivedMessages.get();
    }

    public long receivedBytes() {
        return receivedBytes.get();
    }

    /** Messages accepted by the backend. */
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

    /** Bytes of messages that arrived and wait in receive buffers for demand. */
    public long heldBytes() {
        return heldBytes.get();
    }

    public long maxHeldBytes() {
        return maxHeldBytes.get();
    }

    /** Receive buffers, and so credits, that those messages occupy. */
    public long heldBuffers() {
        return heldBuffers.get();
    }

    /** Messages that arrived and were given to nobody: their stream was cancelled, or closed while they waited. */
    public long discardedMessages() {
        return discardedMessages.get();
    }

    /** Receive buffers, and so credits, that leases hold. */
    public int leasedBuffers() {
        return leasedBuffers.get();
    }

    /** Messages on which leases are out that hold no receive buffer, but a copy. */
    public int leasedCopies() {
        return leasedCopies.get();
    }

    /** How many messages became copies because no further receive buffer might be leased. */
    public long leaseCopies() {
        return leaseCopies.get();
    }

    /** So many messages went to the backend, or into a page. On the loop. */
    public void countSent(long messages, long bytes) {
        sentMessages.add(messages);
        sentBytes.add(bytes);
    }

    /** A sender found no resources. On the loop. */
    public void countNoResources() {
        noResources.add(1);
    }

    /** Messages arrived that were asked for, or wait. On the loop. */
    public void countReceived(long messages, long bytes) {
        receivedMessages.add(messages);
        receivedBytes.add(bytes);
    }

    /** Messages arrived that nobody is given. On the loop. */
    public void countDiscarded(int messages) {
        discardedMessages.add(messages);
    }

    /** So many bytes were in receive buffers at a time. On the loop. */
    public void sawHeld(long bytes) {
        maxHeldBytes.max(bytes);
    }

    /** A message, or a page of them, waits in its receive buffer. On the loop. */
    public void hold(int bytes) {
        heldBuffers.add(1);
        heldBytes.add(bytes);
        maxHeldBytes.max(heldBytes.get());
    }

    /** It does not wait any more. On the loop. */
    public void unhold(int bytes) {
        heldBuffers.add(-1);
        heldBytes.add(-bytes);
    }

    /** A lease was given out. On the loop. */
    public void countLease() {
        leases.add(1);
    }

    /** Leases that were given out so far, but for those on copies. */
    public long leases() {
        return leases.get();
    }

    /** A copy was given out, because no further receive buffer might be leased. On the loop. */
    public void countLeasedCopy() {
        leaseCopies.add(1);
        leasedCopies.incrementAndGet();
    }

    /** The last lease on a copy was given back. Any thread. */
    public void leasedCopyGone() {
        leasedCopies.decrementAndGet();
    }

    /** Leases hold one receive buffer more. On the loop. */
    public void bufferLeased() {
        leasedBuffers.incrementAndGet();
    }

    /** Leases hold one receive buffer less. Any thread. */
    public void leasedBufferGone() {
        leasedBuffers.decrementAndGet();
    }
}
