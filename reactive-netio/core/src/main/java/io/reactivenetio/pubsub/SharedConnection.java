// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.NetioConnection;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** One connection for all users at a time. It is made with the first, closed with the last, and made anew when it was lost. */
final class SharedConnection {
    private static final class Attempt {
        private final Mono<NetioConnection> result;
        private volatile @Nullable NetioConnection connection;
        private volatile boolean failed;

        Attempt(Mono<NetioConnection> connect) {
            result = connect.doOnNext(made -> connection = made).doOnError(error -> failed = true).cache();
        }

        boolean isOver() {
            NetioConnection made = connection;
            return failed || made != null && made.isDisposed();
        }
    }

    private final Mono<NetioConnection> connect;
    private @Nullable Attempt attempt;
    private int users;

    SharedConnection(Mono<NetioConnection> connect) {
        this.connect = connect;
    }

    /** Subscribes to what {@code use} makes of the connection. The connection is kept until that ends. */
    <T> Flux<T> with(Function<? super NetioConnection, Flux<T>> use) {
        return Flux.defer(() -> {
            Runnable leave = once();
            Mono<NetioConnection> acquire = Mono.defer(this::enter).doOnError(error -> leave.run()).doOnCancel(leave);
            return Flux.usingWhen(acquire, use, connection -> Mono.fromRunnable(leave));
        });
    }

    /** Leaves once: a cancel at the moment when the connection is made reaches both the attempt and the use of the connection. */
    private Runnable once() {
        AtomicBoolean left = new AtomicBoolean();
        return () -> {
            if (!left.getAndSet(true)) {
                leave();
            }
        };
    }

    /** How many subscriptions use the connection. */
    synchronized int users() {
        return users;
    }

    private synchronized Mono<NetioConnection> enter() {
        users++;
        Attempt current = attempt;
        if (current == null || current.isOver()) {
            current = new Attempt(connect);
            attempt = current;
        }
        return current.result;
    }

    private void leave() {
        Attempt last;
        synchronized (this) {
            if (--users > 0) {
                return;
            }
            last = attempt;
            attempt = null;
        }
        if (last != null) { // also one that is still being made
            last.result.subscribe(NetioConnection::dispose, error -> { });
        }
    }
}
