// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.Durations;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import io.reactivenetio.transport.exceptions.NetioException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The way of a backend's endpoints from an address to the attempt to connect, within the time there is for it. What may block is
 * done by a {@link Resolver}; all else on the loop.
 */
final class Connector<R extends AutoCloseable, E extends EndpointBase> {
    private final BackendBase<R, E> backend;

    Connector(BackendBase<R, E> backend) {
        this.backend = backend;
    }

    /** Resolves a host name and a literal address on different threads, or a literal address at once: none waits for another. */
    void begin(E endpoint, SocketAddress address) {
        SocketAddress known = address instanceof InetSocketAddress inet ? Resolver.literal(inet) : address;
        if (known != null && backend.resolvesLiteralsAtOnce()) {
            resolve(endpoint, known);
        } else {
            String host = address instanceof InetSocketAddress inet ? inet.getHostString() : "";
            Resolver.of(known != null).execute(host, () -> !endpoint.isClosed(), () ->
                    resolve(endpoint, known != null ? known : address));
        }
        limitTime(endpoint);
    }

    /** Closes the endpoint if it is not established within the configured time. */
    void limitTime(E endpoint) {
        long nanos = Durations.nanos(backend.config().connectTimeout());
        endpoint.deadline(backend.context().after(nanos, TimeUnit.NANOSECONDS, () -> timeOut(endpoint)));
    }

    /** Any thread. The rest is a task of the loop, so that the caller has the endpoint's handle before any callback. */
    private void resolve(E endpoint, SocketAddress address) {
        Runnable next;
        Runnable otherwise = () -> { };
        try {
            R where = backend.resolveRemote(address);
            next = () -> connect(endpoint, address, where);
            otherwise = () -> backend.discard(where);
        } catch (UnknownHostException e) {
            next = () -> endpoint.close(new NetioConnectException(String.valueOf(e.getMessage()), e));
        } catch (RuntimeException e) {
            next = () -> endpoint.close(refusal(address, e));
        }
        try {
            backend.loop().execute(next);
        } catch (RejectedExecutionException e) {
            otherwise.run();
        }
    }

    private void connect(E endpoint, SocketAddress address, R where) {
        if (endpoint.isClosed()) {
            backend.discard(where);
            return;
        }
        try {
            backend.connect(endpoint, where);
        } catch (RuntimeException e) {
            endpoint.close(refusal(address, e));
        }
    }

    private static NetioException refusal(SocketAddress address, RuntimeException e) {
        return e instanceof NetioException refused ? refused : new NetioConnectException("cannot connect to "
                + Addresses.format(address) + ": " + e.getMessage(), e);
    }

    private void timeOut(E endpoint) {
        if (endpoint.isOpening()) {
            String way = endpoint.handle().listenEndpoint() == null ? "connecting to " : "the handshake with ";
            endpoint.close(new NetioConnectException(way + Addresses.format(endpoint.handle().remoteAddress())
                    + " took longer than " + Durations.millis(backend.config().connectTimeout()) + " ms" + endpoint.lateHint(),
                    null));
        }
    }
}
