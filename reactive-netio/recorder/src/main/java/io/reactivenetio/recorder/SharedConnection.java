// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.NetioConnection;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** One connection for all readers of a client at a time: made with the first, closed with the last, made anew if it was lost. */
final class SharedConnection {
    private static final class Attempt {
        private final Mono<NetioConnection> made;
        private volatile @Nullable NetioConnection connection;
        private volatile boolean failed;
        private int users;

        Attempt(Mono<NetioConnection> connect) {
            made = connect.doOnNext(it -> connection = it).doOnError(error -> failed = true).cache();
        }

        boolean isOver() {
            NetioConnection it = connection;
            return failed || it != null && it.isDisposed();
        }
    }

    private final Mono<NetioConnection> connect;
    private @Nullable Attempt present;

    SharedConnection(Mono<NetioConnection> connect) {
        this.connect = connect;
    }

    /** Subscribes to what {@code use} makes of the connection, which is there until that ends. */
    <T> Flux<T> with(Function<NetioConnection, ? extends Publisher<T>> use) {
        return Flux.using(this::enter, attempt -> attempt.made.flatMapMany(use), this::leave);
    }

    private synchronized Attempt enter() {
        Attempt attempt = present;
        if (attempt == null || attempt.isOver()) {
            attempt = new Attempt(connect);
            present = attempt;
        }
        attempt.users++;
        return attempt;
    }

    private void leave(Attempt attempt) {
        synchronized (this) {
            if (--attempt.users > 0) {
                return;
            }
            if (present == attempt) {
                present = null;
            }
        }
        attempt.made.subscribe(NetioConnection::dispose, error -> { }); // also if it is still being made
    }
}
