// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import io.reactivenetio.loop.EventLoop;

/** Where a {@link Sender} brings what it has. On the loop, but for the loop itself. */
interface Hub {
    /** Any thread. */
    EventLoop loop();

    /** Whether the connection is over. */
    boolean isClosed();

    /** For a sender that comes, or comes back, after the end. */
    void refuse(Sender<?> sender);

    void register(Sender<?> sender);

    /** Something of a registered sender changed: look at it at the end of this turn. */
    void schedule();
}
