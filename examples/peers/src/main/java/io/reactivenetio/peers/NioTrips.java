// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import io.reactivenetio.benchmarks.Work.Waiting;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.function.IntConsumer;

/** Round trips written by hand: a thread on each side, which blocks, or asks without end where the work says so. */
final class NioTrips implements Peer {

    @Override
    public String title() {
        return "java.nio by hand";
    }

    @Override
    public String settings() {
        return "a direct buffer, TCP_NODELAY; asleep: blocking channels; spinning: non-blocking channels asked without end";
    }

    @Override
    public boolean spins() {
        return true;
    }

    @Override
    public Outcome listen(Work work, IntConsumer port) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(Loopback.address(0))) {
            port.accept(((InetSocketAddress) server.getLocalAddress()).getPort());
            try (SocketChannel channel = set(work, server.accept())) {
                Numbers numbers = new Numbers(work);
                ByteBuffer batch = batch(work);
                while (read(channel, batch)) {
                    int whole = batch.position() - batch.position() % work.size();
                    for (int at = 0; at < whole; at += work.size()) {
                        numbers.check(batch.getLong(at));
                    }
                    send(channel, batch, whole);
                }
                return numbers.end();
            }
        }
    }

    @Override
    public Outcome connect(Work work, int port) throws IOException {
        try (SocketChannel channel = set(work, SocketChannel.open(Loopback.address(port)))) {
            Trips trips = new Trips(work);
            ByteBuffer batch = batch(work);
            for (int lane = 0; lane < trips.lanes(); lane++) {
                batch.putLong(lane * work.size(), trips.first(lane));
            }
            send(channel, batch.position(trips.lanes() * work.size()), batch.position());
            while (!trips.isOver()) {
                if (!read(channel, batch)) {
                    throw new EOFException("the other end has ended within a round");
                }
                int whole = batch.position() - batch.position() % work.size();
                int asked = 0;
                for (int at = 0; at < whole; at += work.size()) {
                    long next = trips.answered(batch.getLong(at));
                    if (next != Numbers.LAST) {
                        batch.putLong(asked, next);
                        asked += work.size();
                    }
                }
                ByteBuffer rest = batch.duplicate().flip().position(whole).slice();
                send(channel, batch.position(asked), asked);
                batch.put(rest);
            }
            return trips.end();
        }
    }

    private static SocketChannel set(Work work, SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(work.waiting() == Waiting.SLEEP);
        return channel;
    }

    /** Waits until something has been read; false at the end. */
    private static boolean read(SocketChannel channel, ByteBuffer batch) throws IOException {
        int read;
        while ((read = channel.read(batch)) == 0) {
            Thread.onSpinWait();
        }
        return read > 0;
    }

    /** Sends the first {@code bytes} of what is there, and moves the rest to the front. */
    private static void send(SocketChannel channel, ByteBuffer batch, int bytes) throws IOException {
        int end = batch.position();
        batch.position(0).limit(bytes);
        while (batch.hasRemaining()) {
            channel.write(batch);
        }
        batch.limit(end).compact();
    }

    private static ByteBuffer batch(Work work) {
        return ByteBuffer.allocateDirect(work.inFlight() * work.size()).order(ByteOrder.LITTLE_ENDIAN);
    }
}
