// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.EventLoopConfig;
import io.reactivenetio.loop.FaultyLoopIo;
import io.reactivenetio.loop.LoopMechanism;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.SendCompletion;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/**
 * What one run of the contract suites is about.
 *
 * @param type the backend
 * @param provider the libfabric provider; the plain TCP backend has none
 * @param threads SAFE: the backend is called by the test's own thread and by senders, else by the loop's
 * @param shared whether all connections of a backend share their buffers
 * @param io how the plain TCP backend reads and writes
 */
record Combination(BackendType type, String provider, ThreadSafetyModel threads, boolean shared, Io io) {
    /** What serves the sockets. */
    enum Io {
        EPOLL,
        /** The ring of a loop. */
        IO_URING,
        /** Reads and writes in parts, and late. */
        FAULTY;

        EventLoop loop(String name) {
            EventLoopConfig config = EventLoopConfig.defaults().withName(name);
            if (this == IO_URING) {
                return EventLoop.create(config.withMechanism(LoopMechanism.IO_URING));
            }
            if (this == EPOLL) {
                return EventLoop.create(config);
            }
            AtomicReference<EventLoop> made = new AtomicReference<>();
            made.setPlain(EventLoop.create(config, own -> FaultyLoopIo.lateAndShort(own, made::get, name.hashCode())));
            return made.get();
        }
    }

    /** A hundred connections at once take their time on a busy machine. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(15);
    /** A part of a name, to run less. */
    private static final String ONLY = System.getProperty("netio.test.combinations", "");

    /** Those that this machine is to be bothered with; verbs alone where there is an RDMA device. */
    static Stream<Combination> all() {
        return Stream.of(ThreadSafetyModel.UNSAFE, ThreadSafetyModel.SAFE)
                .flatMap(threads -> Stream.of(false, true).flatMap(shared -> backends(threads, shared)))
                .filter(combination -> TestSettings.FULL || TestSettings.VERBS || combination.isOfTheOrdinaryRun())
                .filter(combination -> combination.toString().contains(ONLY));
    }

    private static Stream<Combination> backends(ThreadSafetyModel threads, boolean shared) {
        if (TestSettings.VERBS) {
            return Stream.of(new Combination(BackendType.LIBFABRIC, "verbs", threads, shared, Io.EPOLL));
        }
        Stream<Combination> all = Stream.of(new Combination(BackendType.LIBFABRIC, "tcp", threads, shared, Io.EPOLL),
                new Combination(BackendType.TCP, "none", threads, shared, Io.EPOLL));
        Stream<Io> others = Stream.of(Io.IO_URING, Io.FAULTY)
                .filter(io -> io == Io.FAULTY || LoopMechanism.IO_URING.unavailability().isEmpty());
        return threads == ThreadSafetyModel.SAFE ? all
                : Stream.concat(all, others.map(io -> new Combination(BackendType.TCP, "none", threads, shared, io)));
    }

    /** Half of them, in which each backend has either thread model and either kind of buffers. */
    private boolean isOfTheOrdinaryRun() {
        return switch (io) {
            case EPOLL -> shared == (isPlainTcp() == isSafe());
            case IO_URING -> !shared;
            case FAULTY -> shared;
        };
    }

    boolean isPlainTcp() {
        return type == BackendType.TCP;
    }

    boolean isSafe() {
        return threads == ThreadSafetyModel.SAFE;
    }

    boolean isVerbs() {
        return provider.equals("verbs");
    }

    /**
     * Whether a completion of {@code level} means that the message is in a receive buffer of the peer. On verbs every one does;
     * on tcp the acknowledgement of FI_DELIVERY_COMPLETE; that of plain TCP means the peer's kernel.
     */
    boolean completesAtThePeer(SendCompletion level) {
        return !isPlainTcp() && (isVerbs() || level == SendCompletion.DELIVERED);
    }

    /** How many of {@code buffers} receive buffers a connection that is alone may have: one that is shared is kept for others. */
    int usable(int buffers) {
        return shared && isPlainTcp() && buffers > 1 ? buffers - 1 : buffers;
    }

    /** A configuration whose shared buffers, if any, are as {@code buffers} says of one connection. */
    BackendConfig config(ConnectionParameters buffers) {
        BackendConfig defaults = BackendConfig.defaults();
        BackendConfig config = defaults.withProvider(provider).withThreadSafety(threads).withExclusive(false)
                .withConnectTimeout(TestSettings.patient(CONNECT_TIMEOUT));
        if (!shared) {
            return config;
        }
        return config
                .withSharedReceiveBuffers(new SharedBuffers(buffers.receiveBufferSize(), buffers.receiveBuffers()))
                .withSharedSendBuffers(new SharedBuffers(buffers.sendBufferSize(), buffers.sendBuffers()));
    }

    @Override
    public String toString() {
        return (isPlainTcp() ? "plain TCP" : type.name().toLowerCase(Locale.ROOT) + "/" + provider) + " " + threads
                + (shared ? " shared" : " own") + (io == Io.EPOLL ? "" : " " + io);
    }
}
