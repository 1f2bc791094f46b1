// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

/** {@link LoopIo} by readiness: a request is performed when epoll says that it will not block. */
final class EpollLoopIo implements LoopIo {
    private final Epoll epoll;

    EpollLoopIo(Epoll epoll) {
        this.epoll = epoll;
    }

    @Override
    public Handle open(int fd, int readsPerTurn) {
        return new EpollHandle(epoll, fd, readsPerTurn);
    }
}
