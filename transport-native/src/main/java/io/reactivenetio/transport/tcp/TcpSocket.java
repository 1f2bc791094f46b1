// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tcp;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.ffm.Sockets;
import io.reactivenetio.transport.exceptions.NetioSocketException;

/**
 * The socket options of a connection, its errors and its end. TCP_USER_TIMEOUT is not among the options: with it Linux kills a
 * connection whose receiver keeps the window closed for that long, however alive it is, and a subscriber without demand is just
 * that.
 */
final class TcpSocket {
    private static final int KEEP_IDLE_SECONDS = 60;
    private static final int KEEP_INTERVAL_SECONDS = 10;
    private static final int KEEP_PROBES = 6;

    private TcpSocket() {
    }

    /** The exception for a system call on a connection that failed. */
    static NetioSocketException failure(Object connection, int errno) {
        return new NetioSocketException(connection + ": " + LibC.strerror(errno), Math.abs(errno));
    }

    /** Small messages leave at once; a peer that vanished while the connection was idle is noticed within two minutes. */
    static void configure(int fd) {
        Sockets.option(fd, Sockets.IPPROTO_TCP, Sockets.TCP_NODELAY, 1);
        Sockets.option(fd, Sockets.SOL_SOCKET, Sockets.SO_KEEPALIVE, 1);
        Sockets.option(fd, Sockets.IPPROTO_TCP, Sockets.TCP_KEEPIDLE, KEEP_IDLE_SECONDS);
        Sockets.option(fd, Sockets.IPPROTO_TCP, Sockets.TCP_KEEPINTVL, KEEP_INTERVAL_SECONDS);
        Sockets.option(fd, Sockets.IPPROTO_TCP, Sockets.TCP_KEEPCNT, KEEP_PROBES);
    }

    /**
     * Ends a connection in order: the peer's kernel learns the end before anything else. If we leave data unread, a reset
     * follows; by then the end has arrived, and what the peer has received stays readable there.
     */
    static void finish(int fd) {
        Sockets.shutdown(fd, Sockets.SHUT_WR);
        LibC.close(fd);
    }
}
