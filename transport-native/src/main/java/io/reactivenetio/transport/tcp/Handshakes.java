// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tcp;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.loop.LoopIo;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.ConnectionData;
import io.reactivenetio.transport.backend.Durations;
import io.reactivenetio.transport.backend.LogBudget;
import io.reactivenetio.transport.base.BackendContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The sockets that a listener has accepted and whose peers have not sent their connection data yet. They are no connections and
 * have no buffers. A peer that sends nothing costs a descriptor, and only for a limited time. Confined to the listener's loop.
 */
final class Handshakes {
    private static final LogBudget REFUSED = LogBudget.ofRefused();
    /** A handshake is not given up for another before it has had this time, in which what has arrived with it is read. */
    private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** The time within which the loop reads once more what has arrived: the loop itself may have been late. */
    private static final long READ_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** The listener. */
    interface Owner {
        /** Takes over a socket whose peer has sent {@code peerData}. */
        void completed(int fd, InetSocketAddress remote, ConnectionData peerData);

        /** A handshake has failed. */
        void failed();
    }

    private final BackendContext context;
    private final ConnectionData data;
    private final Owner owner;
    /** The oldest first. */
    private final SequencedSet<Handshake> open = new LinkedHashSet<>();

    /** {@code data} is what this side sends. */
    Handshakes(BackendContext context, ConnectionData data, Owner owner) {
        this.context = context;
        this.data = data;
        this.owner = owner;
    }

    private final class Handshake {
        private final int fd;
        private final InetSocketAddress remote;
        private final Object peer;
        private final LoopIo.Handle io;
        private final long begun = System.nanoTime();
        private @Nullable DelayedTask deadline;
        private boolean overdue;

        Handshake(int fd, InetSocketAddress remote) {
            this.fd = fd;
            this.remote = remote;
            this.peer = Addresses.peer(remote.getAddress());
            this.io = context.loop().io().open(fd, 1);
        }

        void start() {
            long limit = Durations.nanos(context.config().connectTimeout());
            DataExchange exchange = new DataExchange(io, data, this::received, problem -> refuse("failed: " + problem));
            deadline = context.after(limit, TimeUnit.NANOSECONDS, () -> refuse("took longer than "
                    + TimeUnit.NANOSECONDS.toMillis(limit) + " ms" + exchange.hint()));
            exchange.start();
        }

        private void received(ConnectionData peerData) {
            if (leave()) {
                owner.completed(fd, remote, peerData);
            }
        }

        void refuse(String why) {
            if (leave()) {
                TcpSocket.finish(fd);
                REFUSED.warn("the handshake with {} {}", Addresses.format(remote), why);
                owner.failed();
            }
        }

        /** Ends the watch of the descriptor. Returns false if it had ended before. */
        boolean leave() {
            DelayedTask task = deadline;
            if (task != null) {
                task.cancel();
            }
            io.close();
            return open.remove(this);
        }

        long age() {
            return System.nanoTime() - begun;
        }
    }

    int size() {
        return open.size();
    }

    /** How many are those of the peer at {@code address}. */
    int sizeOf(InetAddress address) {
        Object peer = Addresses.peer(address);
        return (int) open.stream().filter(handshake -> handshake.peer.equals(peer)).count();
    }

    /** Takes over a socket that was accepted. */
    void begin(int fd, InetSocketAddress remote) {
        Handshake handshake;
        try {
            handshake = new Handshake(fd, remote);
        } catch (RuntimeException | OutOfMemoryError e) {
            LibC.close(fd);
            REFUSED.warn("the handshake with {} failed: {}", Addresses.format(remote), e.toString());
            return;
        }
        open.add(handshake);
        try {
            handshake.start();
        } catch (RuntimeException | OutOfMemoryError e) {
            handshake.refuse("failed: " + e);
        }
    }

    /**
     * Gives a handshake up for that of a newcomer: the oldest of the peer that has most of them, with the newcomer counted.
     * So whoever opens many that say nothing takes the places of its own, and others keep theirs until they have spoken or their
     * time is over. Returns after how many nanoseconds to try again, 0 if there is room.
     */
    long makeRoom(InetAddress newcomer) {
        Handshake victim = oldestOfMost(Addresses.peer(newcomer));
        long left = SHORTEST_NANOS - victim.age();
        if (left > 0) {
            return left;
        }
        if (!victim.overdue) {
            for (Handshake handshake : open) {
                handshake.overdue = handshake.age() >= SHORTEST_NANOS;
            }
            return READ_AGAIN_NANOS;
        }
        victim.refuse("was given up for another connection after " + TimeUnit.NANOSECONDS.toMillis(victim.age()) + " ms");
        return 0;
    }

    private Handshake oldestOfMost(Object newcomer) {
        Map<Object, Integer> counts = HashMap.newHashMap(open.size() + 1);
        counts.put(newcomer, 1);
        int most = 1;
        for (Handshake handshake : open) {
            most = Math.max(most, counts.merge(handshake.peer, 1, Integer::sum));
        }
        for (Handshake handshake : open) {
            if (counts.getOrDefault(handshake.peer, 0) == most) {
                return handshake;
            }
        }
        throw new IllegalStateException("no handshake is open");
    }

    void close() {
        for (Handshake handshake : new ArrayList<>(open)) {
            if (handshake.leave()) {
                TcpSocket.finish(handshake.fd);
            }
        }
    }
}
