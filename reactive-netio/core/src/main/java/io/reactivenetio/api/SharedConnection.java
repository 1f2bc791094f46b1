// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One connection of a client for all who ask: see {@link io.reactivenetio.NetioClient#shared}. It is made when somebody needs it.
 * It is made anew when somebody needs it after it was lost, or could not be made. All methods may be called on any thread.
 */
public interface SharedConnection extends Disposable {

    /**
     * Returns the connection that there is, or a new one. It stays until {@link #dispose}, or until it is lost. Who has it must
     * not close it, because it has other users. The Mono fails as {@link io.reactivenetio.NetioClient#connect} does, and so it
     * does for all who wait for the same attempt.
     */
    Mono<NetioConnection> get();

    /**
     * Returns what {@code use} makes of the connection, which is there until that ends. The connection is closed when the last
     * of these has ended, unless somebody has {@linkplain #get got} it. {@code retry} behind this operator connects again if the
     * connection was lost.
     */
    <T> Flux<T> with(Function<? super NetioConnection, ? extends Publisher<T>> use);

    /** Closes the connection, also one that is still being made. From then on, {@link #get} and {@link #with} fail. */
    @Override
    void dispose();
}
