// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.asyncmsg;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.loop.LoopIo;
import io.reactivenetio.transport.Addresses;
import io.reactivenetio.transport.ConnectionData;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sockets that a listener has accepted and whose peers have still to say their connection data. They are no connections yet
 * and have no buffers: whoever says nothing costs a descriptor, and that not for long. Confined to the listener's loop.
 */
final class Handshakes {
    /** Of peers that did not get in, of which no callback tells. */
    private static final Logger REFUSED = LoggerFactory.getLogger("io.reactivenetio.refused");
    /** One that has been silent for so long is given up when another wants its place. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    /** But not before the loop has read what came meanwhile: it may be the loop that stood still. */
    private static final long LAST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** Who accepts the sockets. */
    interface Owner {
        /** Takes over a socket whose peer has said {@code heard}. */
        void completed(int fd, InetSocketAddress remote, ConnectionData heard);

        /** One ended without that. */
        void failed();
    }

    private final AsyncmsgBackend backend;
    private final ConnectionData data;
    private final Owner owner;
    /** The oldest first. */
    private final SequencedSet<Handshake> open = new LinkedHashSet<>();

    /** {@code data}: what this side says. */
    Handshakes(AsyncmsgBackend backend, ConnectionData data, Owner owner) {
        this.backend = backend;
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
            this.io = backend.loop().io().open(fd, 1);
        }

        void start() {
            long limit = TimeUnit.NANOSECONDS.convert(backend.config().connectTimeout());
            deadline = backend.after(limit, TimeUnit.NANOSECONDS, () -> refuse("took longer than "
                    + TimeUnit.NANOSECONDS.toMillis(limit) + " ms"));
            new DataExchange(io, data, this::heard, problem -> refuse("failed: " + problem)).start();
        }

        private void heard(ConnectionData said) {
            if (leave()) {
                owner.completed(fd, remote, said);
            }
        }

        void refuse(String why) {
            if (leave()) {
                TcpSocket.finish(fd);
                REFUSED.warn("the handshake with {} {}", Addresses.format(remote), why);
                owner.failed();
            }
        }

        /** The descriptor is not watched any more; false if it was not before. */
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

    /** Gives the oldest up if it has been silent for long enough; else in how many nanoseconds to look again. */
    long makeRoom() {
        Handshake oldest = open.getFirst();
        long left = PATIENCE_NANOS - oldest.age();
        if (left > 0) {
            return left;
        }
        if (!oldest.overdue) {
            oldest.overdue = true;
            return LAST_LOOK_NANOS;
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
