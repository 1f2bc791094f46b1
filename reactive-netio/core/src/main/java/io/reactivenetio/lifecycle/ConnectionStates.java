// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lifecycle;

import io.reactivenetio.api.ConnectionState;
import io.reactivenetio.api.ConnectionState.Status;
import io.reactivenetio.api.Network;
import java.net.SocketAddress;
import java.time.Instant;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/** The {@link ConnectionState} of one client, as its connections come and go. Any thread. */
public final class ConnectionStates {
    private final Sinks.Many<ConnectionState> sink;
    /** What has not been told yet, in order: one thread at a time tells it, outside of the lock. */
    private final Queue<ConnectionState> untold = new ConcurrentLinkedQueue<>();
    private final AtomicInteger telling = new AtomicInteger();
    private volatile ConnectionState current = new ConnectionState(Status.NEW, Instant.now(), null, null, null);
    private int open;

    public ConnectionStates() {
        sink = Sinks.unsafe().many().replay().latestOrDefault(current);
    }

    public ConnectionState current() {
        return current;
    }

    /** The present state and those that follow. Slow subscribers miss states, but not the last. */
    public Flux<ConnectionState> all() {
        return sink.asFlux().onBackpressureLatest();
    }

    public void connecting() {
        synchronized (this) {
            if (open == 0) {
                change(Status.CONNECTING, current.remoteAddress(), current.network(), null);
            }
        }
        tell();
    }

    public void connected(SocketAddress to, Network by) {
        synchronized (this) {
            open++;
            change(Status.CONNECTED, to, by, null);
        }
        tell();
    }

    /** One connection is over. */
    public void disconnected(Throwable reason) {
        synchronized (this) {
            open--;
            if (open == 0) {
                change(Status.DISCONNECTED, current.remoteAddress(), current.network(), reason);
            }
        }
        tell();
    }

    /** One could not be made, or is not wanted any more. */
    public void failed(Throwable reason) {
        synchronized (this) {
            if (open == 0) {
                change(Status.DISCONNECTED, current.remoteAddress(), current.network(), reason);
            }
        }
        tell();
    }

    private void change(Status status, @Nullable SocketAddress remote, @Nullable Network network,
            @Nullable Throwable reason) {
        ConnectionState next = new ConnectionState(status, Instant.now(), remote, network, reason);
        current = next;
        untold.add(next);
    }

    private void tell() {
        if (telling.getAndIncrement() > 0) {
            return;
        }
        int told = 1;
        while (told > 0) {
            ConnectionState next;
            while ((next = untold.poll()) != null) {
                sink.tryEmitNext(next);
            }
            told = telling.addAndGet(-told);
        }
    }
}
