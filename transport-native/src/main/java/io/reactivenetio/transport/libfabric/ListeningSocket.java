// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.Sockets;
import java.io.File;
import java.net.InetSocketAddress;

/**
 * The socket behind a listen endpoint of provider tcp, which libfabric does not tell. Any thread.
 *
 * <p>tcp reads a connection request in two parts, from a socket that blocks: 32 bytes of header, then the connection data. A
 * peer that sends the header and nothing else would stop the loop until it closes (seen with libfabric 1.17; 2.6 reads alike).
 */
final class ListeningSocket {
    /** Both parts are sent at once. So the second one is there with the first, or the peer is no libfabric. */
    private static final int LONGEST_READ_MICROS = 5_000;

    private ListeningSocket() {
    }

    /** Limits how long a read of a connection request may block. Accepted sockets inherit that, socket(7), SO_RCVTIMEO. */
    static void limitReads(InetSocketAddress address) {
        String[] descriptors = new File("/proc/self/fd").list();
        for (String name : descriptors == null ? new String[0] : descriptors) {
            int fd = Integer.parseInt(name);
            if (Sockets.option(fd, Sockets.SOL_SOCKET, Sockets.SO_ACCEPTCONN) == 1 && address.equals(Sockets.localAddress(fd))) {
                Sockets.receiveTimeout(fd, LONGEST_READ_MICROS);
            }
        }
    }
}
