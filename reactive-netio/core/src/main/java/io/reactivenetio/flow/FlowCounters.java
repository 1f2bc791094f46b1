// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

/** What a connection has done so far. Written by its loop, read from any thread. */
public final class FlowCounters {
    final Counter receivedMessages = new Counter();
    final Counter receivedBytes = new Counter();
    final Counter sentMessages = new Counter();
    final Counter sentBytes = new Counter();
    final Counter noResources = new Counter();
    final Counter heldBytes = new Counter();
    final Counter maxHeldBytes = new Counter();
    final Counter heldBuffers = new Counter();

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
