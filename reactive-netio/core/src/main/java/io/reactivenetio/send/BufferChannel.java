// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.loop.EventLoop;

/** Where senders whose messages have a send buffer, or a slice of a region, each are sent from. On the loop, unless said. */
public interface BufferChannel {

    /** Any thread. */
    EventLoop loop();

    /** How many send buffers there are. Any thread. */
    int buffers();

    /** Bytes of a send buffer. Any thread. */
    int bufferSize();

    /** The zero-copy sends. Any thread. */
    SliceSlots slots();

    boolean isClosed();

    /** Ends a sender that comes, or comes back, after the end of the connection. */
    void refuse(SendSource sender);

    /** The sender takes part from now on, until it has finished. */
    void register(SendSource sender);

    /** Something of a sender changed: it is looked at at the end of this turn. */
    void schedule();
}
