// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Stands between the two ends of one TCP connection and hands on what each says after a time, as a long way would. What is on
 * its way is not bounded but by what the ends send ahead.
 */
final class Relay implements AutoCloseable {
    private static final int CHUNK = 1 << 16;
    private static final ByteBuffer END = ByteBuffer.allocate(0);

    private final ServerSocketChannel server;
    private final long delayNanos;

    /** Begins to listen; the connection goes on to {@code port}. */
    Relay(int port, Duration delay) {
        delayNanos = delay.toNanos();
        try {
            server = ServerSocketChannel.open().bind(Loopback.address(0));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start("relay", () -> {
            SocketChannel near = server.accept();
            SocketChannel far = SocketChannel.open(Loopback.address(port));
            carry(near, far);
            carry(far, near);
        });
    }

    int port() {
        try {
            return ((InetSocketAddress) server.getLocalAddress()).getPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private record Chunk(ByteBuffer bytes, long due) {
    }

    private void carry(SocketChannel from, SocketChannel to) throws IOException {
        to.setOption(StandardSocketOptions.TCP_NODELAY, true);
        BlockingQueue<Chunk> way = new LinkedBlockingQueue<>();
        start("relay in", () -> {
            try {
                for (ByteBuffer chunk = ByteBuffer.allocate(CHUNK); from.read(chunk) >= 0; chunk = ByteBuffer.allocate(CHUNK)) {
                    way.add(new Chunk(chunk.flip(), System.nanoTime() + delayNanos));
                }
            } finally {
                way.add(new Chunk(END, System.nanoTime() + delayNanos));
            }
        });
        start("relay out", () -> {
            try (from; to) {
                for (Chunk chunk = way.take(); chunk.bytes() != END; chunk = way.take()) {
                    TimeUnit.NANOSECONDS.sleep(chunk.due() - System.nanoTime());
                    while (chunk.bytes().hasRemaining()) {
                        to.write(chunk.bytes());
                    }
                }
            }
        });
    }

    private interface Job {
        void run() throws IOException, InterruptedException;
    }

    private static void start(String name, Job job) {
        Thread.ofPlatform().daemon().name(name).start(() -> {
            try {
                job.run();
            } catch (IOException | InterruptedException e) {
                // one of the ends has closed
            }
        });
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
