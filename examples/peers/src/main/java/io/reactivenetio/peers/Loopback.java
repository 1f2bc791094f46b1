// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Where all of it happens, and how long it may take. */
final class Loopback {
    static final String ADDRESS = "127.0.0.1";
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private Loopback() {
    }

    static InetSocketAddress address(int port) {
        return new InetSocketAddress(address(), port);
    }

    private static InetAddress address() {
        try {
            return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** A port that nobody has now. */
    static int freeUdpPort() throws SocketException {
        try (DatagramSocket socket = new DatagramSocket(address(0))) {
            return socket.getLocalPort();
        }
    }

    /** How long a round of this work may take. */
    static Duration patience(Work work) {
        return PATIENCE.plusMillis(work.warmupMillis() + work.millis());
    }

    static Outcome await(Work work, CompletableFuture<? extends @Nullable Outcome> outcome)
            throws ExecutionException, InterruptedException, TimeoutException {
        return Objects.requireNonNull(outcome.get(patience(work).toMillis(), TimeUnit.MILLISECONDS), "an outcome");
    }
}
