// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

/**
 * A source of work that is looked at in every turn, and whose file descriptor may only be slept on after it has agreed to:
 * a completion queue with fi_trywait(3) is one. Both methods are called on the loop thread.
 */
public interface LoopPoller {
    /**
     * Does what can be done now, a bounded amount of it, without blocking.
     *
     * @return how much was done; anything but 0 keeps the loop awake for one more turn. When it throws, it counts as 0
     */
    int poll();

    /**
     * Asked last thing before the loop sleeps, after a poll that returned 0.
     *
     * @return true if nothing is pending and the poller's file descriptor will become ready when something is; false makes the
     *         loop turn again at once. When it throws, it counts as false: the loop must not miss an event
     */
    boolean mayWait();
}
