// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.agrona.CloseHelper;

/** A loopback address that answers nobody: its port has a queue for one connection, which is full. */
final class SilentAddress implements AutoCloseable {
    static final String ADDRESS = "127.0.0.2";
    /** More than the kernel takes for a queue of one. */
    private static final int FULL = 8;

    private final ServerSocketChannel server;
    private final List<SocketChannel> waiting = new ArrayList<>();

    private SilentAddress(ServerSocketChannel server) {
        this.server = server;
    }

    static SilentAddress at(int port) throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 2}), port);
        SilentAddress silent = new SilentAddress(ServerSocketChannel.open().bind(address, 1));
        for (int i = 0; i < FULL; i++) {
            SocketChannel channel = SocketChannel.open();
            channel.configureBlocking(false);
            channel.connect(address);
            silent.waiting.add(channel);
        }
        return silent;
    }

    @Override
    public void close() {
        CloseHelper.closeAll(waiting);
        CloseHelper.close(server);
    }
}
