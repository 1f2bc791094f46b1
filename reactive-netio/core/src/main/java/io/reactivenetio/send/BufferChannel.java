// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.loop.EventLoop;

/**
 * Takes the messages of RAW senders, each of which is one send buffer, or one slice of a region. On the loop, unless said
 * otherwise.
 */
public interface BufferChannel {

    /** The loop that sends. Any thread. */
    EventLoop loop();

    /** How many send buffers there are. Any thread. */
    int buffers();

    /** The size of a send buffer in bytes. Any thread. */
    int bufferSize();

    /** The slots of zero-copy sends. Any thread. */
    SliceSlots slots();

    boolean isClosed();

    /** Fails a sender that comes after the end of the connection. */
    void refuse(SendSource sender);

    /** Gives the sender its turns from now on, until it has finished. */
    void register(SendSource sender);

    /** Has the senders looked at at the end of this turn, because one of them has changed. */
    void schedule();
}
