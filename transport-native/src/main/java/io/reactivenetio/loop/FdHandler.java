// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

/** Told that a registered file descriptor is ready. */
@FunctionalInterface
public interface FdHandler {
    /**
     * Called on the loop thread, in every turn in which the descriptor is ready (level-triggered): a handler may serve a part
     * and leave the rest to its next turn. What it throws goes to {@link EventLoop#onError} and leaves it registered.
     *
     * @param events the events of epoll_ctl(2) that are ready: those asked for, and always EPOLLERR (0x8) and EPOLLHUP (0x10)
     */
    void ready(int events);
}
