// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.CloseHelper;

/** A thousand peers a second that connect, from an address of their own, and say nothing. Each stays for two seconds. */
final class SilentPeers implements AutoCloseable {
    private static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int AT_ONCE = 2_000;
    /** No round lasts longer; nobody is flooded for ever. */
    private static final int MOST = 30_000;
    private static final InetSocketAddress FROM = address(9, 0);

    private final InetSocketAddress to;
    private final Deque<SocketChannel> open = new ArrayDeque<>();
    private final Thread thread = new Thread(this::run, "silent peers");
    private volatile boolean closed;

    private SilentPeers(int port) {
        to = address(1, port);
    }

    /** Begins at once, and goes on until it is closed. */
    static SilentPeers of(int port) {
        SilentPeers peers = new SilentPeers(port);
        peers.thread.setDaemon(true);
        peers.thread.start();
        return peers;
    }

    private static InetSocketAddress address(int last, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last}), port);
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private void run() {
        long next = System.nanoTime();
        try {
            for (int i = 0; i < MOST && !closed; i++) {
                SocketChannel channel = SocketChannel.open().bind(FROM);
                channel.configureBlocking(false);
                channel.connect(to);
                open.add(channel);
                if (open.size() > AT_ONCE) {
                    open.remove().close();
                }
                next += EVERY_NANOS;
                LockSupport.parkNanos(next - System.nanoTime());
            }
        } catch (IOException e) {
            throw new AssertionError("no more silent peers", e);
        } finally {
            CloseHelper.closeAll(open);
        }
    }

    /** They close their connections soon after. */
    @Override
    public void close() {
        closed = true;
    }
}
