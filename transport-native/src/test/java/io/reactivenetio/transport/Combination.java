// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

import io.reactivenetio.transport.libfabric.LibfabricProvider;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * What one run of the contract suites is about.
 *
 * @param type the backend
 * @param provider the libfabric provider; asyncmsg has none
 * @param threads SAFE: the backend is called by the test's own thread and by senders, else by the loop's
 * @param shared whether all connections of a backend share their buffers
 */
record Combination(BackendType type, String provider, ThreadSafetyModel threads, boolean shared) {
    /** Whether this machine has it: libfabric 2 does not. */
    static final boolean SOCKETS = new LibfabricProvider().interfaces().stream()
            .anyMatch(found -> found.provider().equals("sockets"));
    /** A hundred connections at once take their time on a busy machine. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(15);
    /** A part of a name, to run less. */
    private static final String ONLY = System.getProperty("netio.test.combinations", "");

    /** Those that this machine is to be bothered with; verbs alone where there is an RDMA device. */
    static Stream<Combination> all() {
        return Stream.of(ThreadSafetyModel.UNSAFE, ThreadSafetyModel.SAFE)
                .flatMap(threads -> Stream.of(false, true).flatMap(shared -> backends(threads, shared)))
                .filter(combination -> SOCKETS || !combination.isSockets())
                .filter(combination -> combination.canShare() || !combination.shared)
                .filter(combination -> combination.toString().contains(ONLY));
    }

    private static Stream<Combination> backends(ThreadSafetyModel threads, boolean shared) {
        if (TestSettings.VERBS) {
            return Stream.of(new Combination(BackendType.LIBFABRIC, "verbs", threads, shared));
        }
        return Stream.of(new Combination(BackendType.LIBFABRIC, "tcp", threads, shared),
                new Combination(BackendType.LIBFABRIC, "sockets", threads, shared),
                new Combination(BackendType.ASYNCMSG, "none", threads, shared));
    }

    boolean isSockets() {
        return provider.equals("sockets");
    }

    /**
     * sockets refuses shared receive buffers, because the provider loses them: of an endpoint that is closed it takes the socket
     * out of the shared context (1.17, prov/sockets/src/sock_ep.c:674) and frees it (:735), but not the message that has come in
     * part, which the context goes on reading (sock_progress.c:2457), whose buffer it keeps.
     */
    boolean canShare() {
        return !isSockets();
    }

    boolean isAsyncmsg() {
        return type == BackendType.ASYNCMSG;
    }

    boolean isSafe() {
        return threads == ThreadSafetyModel.SAFE;
    }

    /**
     * Whether a peer can send no more than there are buffers posted for. sockets takes messages nobody has posted a receive
     * for, 64 MiB of them (1.17, prov/sockets/src/sock_progress.c:1367), acknowledges them (:1464), and while it holds any its
     * thread does not sleep (:2596).
     */
    boolean hasExactCredits() {
        return !isSockets();
    }

    boolean isVerbs() {
        return provider.equals("verbs");
    }

    /**
     * Whether a completion of {@code level} means that the message is in a receive buffer of the peer. On verbs every one does;
     * on tcp the acknowledgement of FI_DELIVERY_COMPLETE; asyncmsg's means the peer's kernel.
     */
    boolean completesAtThePeer(CompletionLevel level) {
        return hasExactCredits() && !isAsyncmsg() && (isVerbs() || level == CompletionLevel.DELIVERY_COMPLETE);
    }

    /** How many of {@code buffers} receive buffers a connection that is alone may have: one that is shared is kept for others. */
    int usable(int buffers) {
        return shared && isAsyncmsg() && buffers > 1 ? buffers - 1 : buffers;
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
        return (isAsyncmsg() ? "asyncmsg" : type.name().toLowerCase(Locale.ROOT) + "/" + provider) + " " + threads
                + (shared ? " shared" : " own");
    }
}
