// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is common to all endpoints of a backend. Immutable: start with {@link #defaults()} or {@link #of} and the {@code with}
 * methods.
 *
 * @param mode the kind of network; plain TCP ignores it
 * @param provider the libfabric provider's name, for instance {@code tcp} or {@code verbs}: the mode's unless named; plain
 *     TCP ignores it
 * @param threadSafety which threads may call the backend
 * @param sharedReceiveBuffers the receive buffers of all connections together; null if each has its own
 * @param sharedSendBuffers the send buffers of all connections together; null if each has its own
 * @param exclusive whether a second connection to an address is refused while the first is open
 * @param connectTimeout after this long an unanswered connect counts as refused, and the handshake of an accepted one as failed
 * @param starvationTimeout how long one connection may keep the others from shared receive buffers
 * @param keepAlive on verbs: after this long an idle connection whose peer's network card answers nothing is closed with an
 *     error. Other providers and plain TCP ignore it
 * @param maxConnections connections accepted by each listen endpoint at a time; a further one is refused
 * @param maxHandshakes on plain TCP: accepted sockets of each listen endpoint whose peers have still to say their connection
 *     data; they have no buffers yet. For a further one the oldest of these is given up, of the address that has most of them.
 *     libfabric's providers have a handshake of their own
 */
public record BackendConfig(NetworkMode mode, String provider, ThreadSafetyModel threadSafety,
        @Nullable SharedBuffers sharedReceiveBuffers, @Nullable SharedBuffers sharedSendBuffers, boolean exclusive,
        Duration connectTimeout, Duration starvationTimeout, Duration keepAlive, int maxConnections, int maxHandshakes) {
    private static final Duration DEFAULT_CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration DEFAULT_STARVATION_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration DEFAULT_KEEP_ALIVE = Duration.ofSeconds(15);
    private static final int DEFAULT_MAX_CONNECTIONS = 4096;
    private static final int DEFAULT_MAX_HANDSHAKES = 1024;

    public BackendConfig {
        Objects.requireNonNull(mode, "mode");
        Objects.requireNonNull(provider, "provider");
        Objects.requireNonNull(threadSafety, "threadSafety");
        if (provider.isBlank()) {
            throw new IllegalArgumentException("provider is blank; try tcp or verbs");
        }
        if (connectTimeout.isNegative() || connectTimeout.isZero()) {
            throw new IllegalArgumentException("connectTimeout must be positive: " + connectTimeout);
        }
        if (starvationTimeout.isNegative() || starvationTimeout.isZero()) {
            throw new IllegalArgumentException("starvationTimeout must be positive: " + starvationTimeout);
        }
        if (keepAlive.isNegative() || keepAlive.isZero()) {
            throw new IllegalArgumentException("keepAlive must be positive: " + keepAlive);
        }
        if (maxConnections < 1) {
            throw new IllegalArgumentException("maxConnections must be at least 1: " + maxConnections);
        }
        if (maxHandshakes < 1) {
            throw new IllegalArgumentException("maxHandshakes must be at least 1: " + maxHandshakes);
        }
    }

    /**
     * TCP, UNSAFE, no shared buffers, exclusive, 5 s to connect, 10 s of starvation, 15 s of silence, 4,096 connections and
     * 1,024 handshakes per listen endpoint.
     */
    public static BackendConfig defaults() {
        return of(NetworkMode.TCP);
    }

    /** {@link #defaults()} with another mode, and its provider. */
    public static BackendConfig of(NetworkMode mode) {
        return new BackendConfig(mode, mode.provider(), ThreadSafetyModel.UNSAFE, null, null, true, DEFAULT_CONNECT_TIMEOUT,
                DEFAULT_STARVATION_TIMEOUT, DEFAULT_KEEP_ALIVE, DEFAULT_MAX_CONNECTIONS, DEFAULT_MAX_HANDSHAKES);
    }

    public BackendConfig withProvider(String value) {
        return new BackendConfig(mode, value, threadSafety, sharedReceiveBuffers, sharedSendBuffers, exclusive, connectTimeout,
                starvationTimeout, keepAlive, maxConnections, maxHandshakes);
    }

    public BackendConfig withThreadSafety(ThreadSafetyModel value) {
        return new BackendConfig(mode, provider, value, sharedReceiveBuffers, sharedSendBuffers, exclusive, connectTimeout,
                starvationTimeout, keepAlive, maxConnections, maxHandshakes);
    }

    public BackendConfig withSharedReceiveBuffers(@Nullable SharedBuffers value) {
        return new BackendConfig(mode, provider, threadSafety, value, sharedSendBuffers, exclusive, connectTimeout,
                starvationTimeout, keepAlive, maxConnections, maxHandshakes);
    }

    public BackendConfig withSharedSendBuffers(@Nullable SharedBuffers value) {
        return new BackendConfig(mode, provider, threadSafety, sharedReceiveBuffers, value, exclusive, connectTimeout,
                starvationTimeout, keepAlive, maxConnections, maxHandshakes);
    }

    public BackendConfig withExclusive(boolean value) {
        return new BackendConfig(mode, provider, threadSafety, sharedReceiveBuffers, sharedSendBuffers, value, connectTimeout,
                starvationTimeout, keepAlive, maxConnections, maxHandshakes);
    }

    public BackendConfig withConnectTimeout(Duration value) {
        return new BackendConfig(mode, provider, threadSafety, sharedReceiveBuffers, sharedSendBuffers, exclusive, value,
                starvationTimeout, keepAlive, maxConnections, maxHandshakes);
    }

    public BackendConfig withStarvationTimeout(Duration value) {
        return new BackendConfig(mode, provider, threadSafety, sharedReceiveBuffers, sharedSendBuffers, exclusive,
                connectTimeout, value, keepAlive, maxConnections, maxHandshakes);
    }

    public BackendConfig withKeepAlive(Duration value) {
        return new BackendConfig(mode, provider, threadSafety, sharedReceiveBuffers, sharedSendBuffers, exclusive,
                connectTimeout, starvationTimeout, value, maxConnections, maxHandshakes);
    }

    public BackendConfig withMaxConnections(int value) {
        return new BackendConfig(mode, provider, threadSafety, sharedReceiveBuffers, sharedSendBuffers, exclusive,
                connectTimeout, starvationTimeout, keepAlive, value, maxHandshakes);
    }

    public BackendConfig withMaxHandshakes(int value) {
        return new BackendConfig(mode, provider, threadSafety, sharedReceiveBuffers, sharedSendBuffers, exclusive,
                connectTimeout, starvationTimeout, keepAlive, maxConnections, value);
    }
}
