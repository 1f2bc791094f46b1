// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import java.util.concurrent.atomic.AtomicInteger;

/** What a connection has done so far. Written by its loop, but for leases that other threads give back; read from any thread. */
public final class FlowCounters {
    final Counter receivedMessages = new Counter();
    final Counter receivedBytes = new Counter();
    final Counter sentMessages = new Counter();
    final Counter sentBytes = new Counter();
    final Counter noResources = new Counter();
    final Counter heldBytes = new Counter();
    final Counter maxHeldBytes = new Counter();
    final Counter heldBuffers = new Counter();
    final Counter discardedMessages = new Counter();
    final Counter leases = new Counter();
    final Counter leaseCopies = new Counter();
    final AtomicInteger leasedBuffers = new AtomicInteger();
    final AtomicInteger leasedCopies = new AtomicInteger();

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

    /** How often a sender found no resources and stopped asking its upstream. */
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

    void hold(int bytes) {
        heldBuffers.add(1);
        heldBytes.add(bytes);
        maxHeldBytes.max(heldBytes.get());
    }

    void unhold(int bytes) {
        heldBuffers.add(-1);
        heldBytes.add(-bytes);
    }
}
