// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tcp;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.loop.LoopIo;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.ConnectionData;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Durations;
import io.reactivenetio.transport.backend.HandshakeTurns;
import io.reactivenetio.transport.backend.LogBudget;
import io.reactivenetio.transport.base.BackendContext;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The sockets that a listener has accepted and whose peers have not said yet what they have to: their connection data, and their
 * first message if they speak first. They are no connections and have no buffers. A peer that sends nothing costs a descriptor,
 * and only for a limited time. Confined to the listener's loop.
 */
final class Handshakes {
    private static final LogBudget REFUSED = LogBudget.ofRefused();
    /** A handshake is not given up for another before it has had this time, in which what has arrived with it is read. */
    private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** The time within which the loop reads once more what has arrived: the loop itself may have been late. */
    private static final long READ_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** How many begin each 50 ms beside those whose turn it is, while the loop is busy for less than half of the time. */
    private static final int MOST_AT_LEISURE = 16;

    /** The listener. */
    interface Owner {
        /** Takes over a socket whose peer has said what it has to. */
        void completed(AcceptedSocket socket);

        /** A handshake has failed. */
        void failed();
    }

    private final BackendContext context;
    private final ConnectionParameters parameters;
    private final HandshakeTurns turns;
    private final Owner owner;
    /** The oldest first. */
    private final SequencedSet<Handshake> open = new LinkedHashSet<>();
    /** The same by peer. */
    private final Map<Object, SequencedSet<Handshake>> byPeer = new HashMap<>();

    /** The handshakes that have to wait for their turn, each with what is to be done then. */
    private final SequencedMap<Handshake, Runnable> waiting = new LinkedHashMap<>();
    private boolean looksAgain;
    /** When this last began to wait, and how long the loop had been busy by then, in ns. */
    private long looked;
    private long busy;

    /** {@code parameters} and {@code turns}: of the connections. */
    Handshakes(BackendContext context, ConnectionParameters parameters, HandshakeTurns turns, Owner owner) {
        this.context = context;
        this.parameters = parameters;
        this.turns = turns;
        this.owner = owner;
    }

    private final class Handshake {
        private final int fd;
        private final SocketAddress remote;
        private final Object peer;
        private final LoopIo.Handle io;
        private final long begun = System.nanoTime();
        private @Nullable DelayedTask deadline;
        private boolean overdue;
        /** What to say when it takes too long. */
        private Supplier<String> hint = () -> "";

        Handshake(int fd, SocketAddress remote) {
            this.fd = fd;
            this.remote = remote;
            this.peer = Addresses.peer(remote);
            this.io = context.loop().io().open(fd, 1);
        }

        void start() {
            long limit = Durations.nanos(context.config().connectTimeout());
            deadline = context.after(limit, TimeUnit.NANOSECONDS, () -> refuse("took longer than "
                    + TimeUnit.NANOSECONDS.toMillis(limit) + " ms" + hint.get()));
            if (parameters.data().isEmpty()) {
                awaitMessage(ConnectionData.none());
            } else {
                DataExchange exchange = new DataExchange(io, parameters.data(), parameters.peerSpeaksFirst() ? this::awaitMessage
                        : peerData -> complete(peerData, null), this::fail);
                hint = exchange::hint;
                exchange.start();
            }
        }

        private void awaitMessage(ConnectionData peerData) {
            FirstMessage message = new FirstMessage(io, parameters.receiveBufferSize(), first -> takeTurn(peerData, first),
                    this::fail);
            hint = message::hint;
            message.start();
        }

        /** It has no buffers yet, so it costs next to nothing while it waits. */
        private void takeTurn(ConnectionData peerData, ByteBuffer first) {
            if (turns.begins(remote)) {
                complete(peerData, first);
                return;
            }
            hint = () -> ": it had to wait for other TLS handshakes with its address, which fail or do not end";
            waiting.put(this, () -> complete(peerData, first));
            lookAgain();
        }

        private void complete(ConnectionData peerData, @Nullable ByteBuffer first) {
            if (leave()) {
                owner.completed(new AcceptedSocket(fd, remote, peerData, first));
            }
        }

        private void fail(String problem) {
            refuse("failed: " + problem);
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
            waiting.remove(this);
            boolean wasOpen = open.remove(this);
            SequencedSet<Handshake> same = byPeer.get(peer);
            if (same != null && same.remove(this) && same.isEmpty()) {
                byPeer.remove(peer);
            }
            return wasOpen;
        }

        long age() {
            return System.nanoTime() - begun;
        }
    }

    private void lookAgain() {
        if (!looksAgain && !waiting.isEmpty()) {
            looksAgain = context.after(HandshakeTurns.APART_NANOS, TimeUnit.NANOSECONDS, this::giveTurns) != null;
            looked = System.nanoTime();
            busy = busyNanos();
        }
    }

    /** How long the loop has been busy, with its present turn. */
    private long busyNanos() {
        return context.loop().statistics().busyNanos() + context.loop().nanoTime() - context.loop().turnNanos();
    }

    /** The newest of a peer is first: who has waited for long may have gone. While the loop has time to spare, more begin. */
    private void giveTurns() {
        looksAgain = false;
        long elapsed = System.nanoTime() - looked;
        int spare = busyNanos() - busy < elapsed / 2 ? MOST_AT_LEISURE : 0;
        Set<Object> late = new HashSet<>();
        for (Handshake handshake : new ArrayList<>(waiting.sequencedKeySet().reversed())) {
            if (!waiting.containsKey(handshake)) {
                continue; // it was given up for another meanwhile
            }
            if ((!late.contains(handshake.peer) && turns.begins(handshake.remote)) || spare-- > 0) {
                Objects.requireNonNull(waiting.remove(handshake)).run();
            } else {
                late.add(handshake.peer);
            }
        }
        lookAgain();
    }

    int size() {
        return open.size();
    }

    /** How many are those of the peer at {@code address}. */
    int sizeOf(SocketAddress address) {
        SequencedSet<Handshake> same = byPeer.get(Addresses.peer(address));
        return same == null ? 0 : same.size();
    }

    /** Takes over a socket that was accepted. */
    void begin(int fd, SocketAddress remote) {
        Handshake handshake;
        try {
            handshake = new Handshake(fd, remote);
        } catch (RuntimeException | OutOfMemoryError e) {
            LibC.close(fd);
            REFUSED.warn("the handshake with {} failed: {}", Addresses.format(remote), e.toString());
            return;
        }
        open.add(handshake);
        byPeer.computeIfAbsent(handshake.peer, peer -> new LinkedHashSet<>()).add(handshake);
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
    long makeRoom(SocketAddress newcomer) {
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

    /** The oldest handshake counts where peers have equally many. */
    private Handshake oldestOfMost(Object newcomer) {
        int most = 1;
        Handshake victim = null;
        for (Map.Entry<Object, SequencedSet<Handshake>> peer : byPeer.entrySet()) {
            int number = peer.getValue().size() + (peer.getKey().equals(newcomer) ? 1 : 0);
            Handshake oldest = peer.getValue().getFirst();
            if (victim == null || number > most || number == most && oldest.begun - victim.begun < 0) {
                victim = oldest;
                most = number;
            }
        }
        if (victim == null) {
            throw new IllegalStateException("no handshake is open");
        }
        return victim;
    }

    void close() {
        for (Handshake handshake : new ArrayList<>(open)) {
            if (handshake.leave()) {
                TcpSocket.finish(handshake.fd);
            }
        }
    }
}
