// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

/** A task handed to {@link EventLoop#schedule}. */
public interface DelayedTask {
    /**
     * Prevents the task from running. Any thread, any number of times. The task is let go at once: neither this object nor the
     * loop retains it.
     *
     * @return true for the one call that prevented it; false when it has begun, has run or was cancelled before
     */
    boolean cancel();
}
