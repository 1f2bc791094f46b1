// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lifecycle;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.SharedConnection;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** One connection for all users at a time. It is made with the first, closed with the last, and made anew when it was lost. */
public final class DefaultSharedConnection implements SharedConnection {
    /** How a user leaves: whether because of a failure. */
    private interface Leave {
        void now(boolean failed);
    }

    /** The connection that is kept for a group of users, and how that ends. */
    private record Held(NetioConnection connection, Leave leave) {
    }

    /** What there is to know of the connection's life. */
    public record Figures(int users, long connections, long reconnectAttempts, long reconnects) {
    }

    private final class Attempt {
        private final Mono<NetioConnection> result;
        private final boolean again;
        private volatile @Nullable NetioConnection connection;
        private volatile boolean failed;

        Attempt(boolean again) {
            this.again = again;
            result = connect.doOnNext(made -> {
                connection = made;
                connected(this);
            }).doOnError(error -> failed = true).cache();
        }

        boolean isOver() {
            NetioConnection made = connection;
            return failed || made != null && made.isDisposed();
        }
    }

    private final Mono<NetioConnection> connect;
    private @Nullable Attempt attempt;
    private int users;
    /** Groups of users that keep the connection between them, and count for no more than its being there. */
    private int groups;
    /** Whether the connection was lost or not made, or its last user has failed: then the next attempt is one to reconnect. */
    private boolean lost;
    /** Whether somebody has the connection who does not say for how long. */
    private boolean kept;
    private boolean disposed;
    private long connections;
    private long reconnectAttempts;
    private long reconnects;

    public DefaultSharedConnection(Mono<NetioConnection> connect) {
        this.connect = connect;
    }

    @Override
    public Mono<NetioConnection> get() {
        return Mono.defer(() -> {
            synchronized (this) {
                kept = true;
                return current();
            }
        });
    }

    @Override
    public <T> Flux<T> with(Function<? super NetioConnection, ? extends Publisher<T>> use) {
        return Flux.defer(() -> {
            Leave leave = once(this::leave);
            Mono<NetioConnection> acquire = Mono.defer(this::enter).doOnError(error -> leave.now(true))
                    .doOnCancel(() -> leave.now(false));
            return Flux.usingWhen(acquire, use, connection -> Mono.fromRunnable(() -> leave.now(false)),
                    (connection, error) -> Mono.fromRunnable(() -> leave.now(true)),
                    connection -> Mono.fromRunnable(() -> leave.now(false)));
        });
    }

    /**
     * Subscribes to what {@code use} makes of the first connection, which is tried as often as {@code retry} says. Within it,
     * each of the group is {@linkplain #with a user of its own}. The connection is kept until the group ends, also while all of
     * its users are between two tries.
     */
    public <T> Flux<T> group(@Nullable Retry retry, Function<? super NetioConnection, Flux<T>> use) {
        Mono<Held> acquire = Mono.defer(() -> {
            Leave leave = once(this::leaveGroup);
            return enterGroup().map(connection -> new Held(connection, leave)).doOnError(error -> leave.now(true))
                    .doOnCancel(() -> leave.now(false));
        });
        Mono<Held> made = retry == null ? acquire : acquire.retryWhen(retry);
        return Flux.usingWhen(made, held -> use.apply(held.connection),
                held -> Mono.fromRunnable(() -> held.leave.now(false)),
                (held, error) -> Mono.fromRunnable(() -> held.leave.now(true)),
                held -> Mono.fromRunnable(() -> held.leave.now(false)));
    }

    /** Leaves once: a cancel at the moment when the connection is made reaches both the attempt and the use of the connection. */
    private static Leave once(Leave leave) {
        AtomicBoolean left = new AtomicBoolean();
        return failed -> {
            if (!left.getAndSet(true)) {
                leave.now(failed);
            }
        };
    }

    public synchronized Figures figures() {
        return new Figures(users, connections, reconnectAttempts, reconnects);
    }

    private synchronized void connected(Attempt made) {
        lost = false;
        connections++;
        if (made.again) {
            reconnects++;
        }
    }

    private synchronized Mono<NetioConnection> enter() {
        users++;
        return current();
    }

    private synchronized Mono<NetioConnection> enterGroup() {
        groups++;
        return current();
    }

    private Mono<NetioConnection> current() {
        if (disposed) {
            return Mono.error(new IllegalStateException("the shared connection was disposed of, and is not made again"));
        }
        Attempt current = attempt;
        if (current == null || current.isOver()) {
            boolean again = lost || current != null;
            if (again) {
                reconnectAttempts++;
            }
            current = new Attempt(again);
            attempt = current;
        }
        return current.result;
    }

    private void leave(boolean failed) {
        left(1, 0, failed);
    }

    private void leaveGroup(boolean failed) {
        left(0, 1, failed);
    }

    private void left(int ofUsers, int ofGroups, boolean failed) {
        Attempt last;
        synchronized (this) {
            users -= ofUsers;
            groups -= ofGroups;
            if (users + groups > 0 || kept) {
                return;
            }
            last = attempt;
            lost = failed || last != null && last.isOver();
            attempt = null;
        }
        close(last);
    }

    private static void close(@Nullable Attempt last) {
        if (last != null) { // also one that is still being made
            last.result.subscribe(NetioConnection::dispose, error -> { });
        }
    }

    @Override
    public void dispose() {
        Attempt last;
        synchronized (this) {
            disposed = true;
            last = attempt;
            attempt = null;
        }
        close(last);
    }

    @Override
    public synchronized boolean isDisposed() {
        return disposed;
    }
}
