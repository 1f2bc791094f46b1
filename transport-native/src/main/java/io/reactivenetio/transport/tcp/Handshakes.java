// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tcp;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.loop.LoopIo;
import io.reactivenetio.transport.Addresses;
import io.reactivenetio.transport.ConnectionData;
import io.reactivenetio.transport.base.BackendContext;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sockets that a listener has accepted and whose peers have not sent their connection data yet. They are no connections and
 * have no buffers. A peer that sends nothing costs a descriptor, and only for a limited time. Confined to the listener's loop.
 */
final class Handshakes {
    /** Logs peers that were refused, for which there is no callback. */
    private static final Logger REFUSED = LoggerFactory.getLogger("io.reactivenetio.refused");
    /** A handshake that has been silent for so long is given up when another needs its place. */
    private static final long MAX_SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    /** But first the loop gets this time to read what arrived meanwhile: the loop itself may have been late. */
    private static final long READ_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

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
        private final LoopIo.Handle io;
        private final long begun = System.nanoTime();
        private @Nullable DelayedTask deadline;
        private boolean overdue;

        Handshake(int fd, InetSocketAddress remote) {
            this.fd = fd;
            this.remote = remote;
            this.io = context.loop().io().open(fd, 1);
        }

        void start() {
            long limit = TimeUnit.NANOSECONDS.convert(context.config().connectTimeout());
            deadline = context.after(limit, TimeUnit.NANOSECONDS, () -> refuse("took longer than "
                    + TimeUnit.NANOSECONDS.toMillis(limit) + " ms"));
            new DataExchange(io, data, this::received, problem -> refuse("failed: " + problem)).start();
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

    /** Gives the oldest handshake up if it has been silent for long enough. Returns after how many nanoseconds to try again. */
    long makeRoom() {
        Handshake oldest = open.getFirst();
        long left = MAX_SILENCE_NANOS - oldest.age();
        if (left > 0) {
            return left;
        }
        if (!oldest.overdue) {
            oldest.overdue = true;
            return READ_AGAIN_NANOS;
        }
        oldest.refuse("was given up for another connection after " + TimeUnit.NANOSECONDS.toMillis(oldest.age()) + " ms");
        return 0;
    }

    void close() {
        for (Handshake handshake : new ArrayList<>(open)) {
            if (handshake.leave()) {
                TcpSocket.finish(handshake.fd);
            }
        }
    }
}
