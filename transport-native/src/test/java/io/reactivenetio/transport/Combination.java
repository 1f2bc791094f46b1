// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

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
    /**
     * On request only: libfabric 2 no longer has this provider, and in 1.17 an endpoint that is closed with sends under way
     * leaves pointers behind that its progress thread follows.
     */
    private static final boolean SOCKETS = Boolean.getBoolean("netio.test.sockets");
    /** A part of a name, to run less. */
    private static final String ONLY = System.getProperty("netio.test.combinations", "");

    /** Those that this machine is to be bothered with. */
    static Stream<Combination> all() {
        return Stream.of(ThreadSafetyModel.UNSAFE, ThreadSafetyModel.SAFE)
                .flatMap(threads -> Stream.of(false, true).flatMap(shared -> Stream.of(
                        new Combination(BackendType.LIBFABRIC, "tcp", threads, shared),
                        new Combination(BackendType.LIBFABRIC, "sockets", threads, shared),
                        new Combination(BackendType.ASYNCMSG, "none", threads, shared))))
                .filter(combination -> SOCKETS || !combination.isSockets())
                .filter(combination -> !combination.isSockets() || !combination.shared)
                .filter(combination -> combination.toString().contains(ONLY));
    }

    boolean isSockets() {
        return provider.equals("sockets");
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

    /** A configuration whose shared buffers, if any, are as {@code buffers} says of one connection. */
    BackendConfig config(ConnectionParameters buffers) {
        BackendConfig config = BackendConfig.defaults().withProvider(provider).withThreadSafety(threads).withExclusive(false);
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
