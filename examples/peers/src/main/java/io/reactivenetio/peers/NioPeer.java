// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.function.IntConsumer;

/** A stream written by hand: a thread on each side, blocking, as many messages at a time as fill a batch. */
final class NioPeer implements Peer {
    private static final int BATCH = 60 * 1024;
    private static final int HEADER = Integer.BYTES;
    private static final int LAST = -1;

    private final boolean freshBuffers;

    /** {@code freshBuffers}: whether its source makes a heap buffer for each message, as a Flux of messages usually does. */
    NioPeer(boolean freshBuffers) {
        this.freshBuffers = freshBuffers;
    }

    @Override
    public String title() {
        return freshBuffers ? "java.nio by hand, a buffer each" : "java.nio by hand";
    }

    @Override
    public String settings() {
        return "blocking channels, a length before each message, batches of 60 KiB in a direct buffer, TCP_NODELAY";
    }

    @Override
    public Outcome listen(Work work, IntConsumer port) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(Loopback.address(0))) {
            port.accept(((InetSocketAddress) server.getLocalAddress()).getPort());
            try (SocketChannel channel = server.accept()) {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                Outcome outcome = receive(work, channel);
                channel.write(ByteBuffer.allocate(1));
                return outcome;
            }
        }
    }

    private static Outcome receive(Work work, ReadableByteChannel channel) throws IOException {
        Numbers numbers = new Numbers(work);
        ByteBuffer batch = batch(work).limit(0);
        while (true) {
            require(channel, batch, HEADER);
            int size = batch.getInt();
            if (size == LAST) {
                return numbers.end();
            }
            require(channel, batch, size);
            numbers.check(batch.getLong(batch.position()));
            batch.position(batch.position() + size);
        }
    }

    /** Reads as much as comes at once, until there are so many bytes. */
    private static void require(ReadableByteChannel channel, ByteBuffer batch, int bytes) throws IOException {
        if (batch.remaining() >= bytes) {
            return;
        }
        batch.compact();
        while (batch.position() < bytes) {
            if (channel.read(batch) < 0) {
                throw new EOFException("the sender has ended within a round");
            }
        }
        batch.flip();
    }

    @Override
    public Outcome connect(Work work, int port) throws IOException {
        Numbers numbers = new Numbers(work);
        ByteBuffer one = ByteBuffer.allocateDirect(work.size()).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer batch = batch(work);
        try (SocketChannel channel = SocketChannel.open(Loopback.address(port))) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            for (long number = numbers.next(); number >= 0; number = numbers.next()) {
                if (batch.remaining() < HEADER + work.size()) {
                    flush(channel, batch);
                }
                ByteBuffer message = freshBuffers ? ByteBuffer.allocate(work.size()).order(ByteOrder.LITTLE_ENDIAN) : one.clear();
                batch.putInt(work.size()).put(message.putLong(0, number));
            }
            if (batch.remaining() < HEADER) {
                flush(channel, batch);
            }
            batch.putInt(LAST);
            flush(channel, batch);
            Outcome outcome = numbers.end();
            if (channel.read(ByteBuffer.allocate(1)) != 1) {
                throw new EOFException("the receiver has ended before it had all");
            }
            return outcome;
        }
    }

    private static void flush(SocketChannel channel, ByteBuffer batch) throws IOException {
        batch.flip();
        while (batch.hasRemaining()) {
            channel.write(batch);
        }
        batch.clear();
    }

    private static ByteBuffer batch(Work work) {
        return ByteBuffer.allocateDirect(Math.max(BATCH, HEADER + work.size())).order(ByteOrder.LITTLE_ENDIAN);
    }
}
