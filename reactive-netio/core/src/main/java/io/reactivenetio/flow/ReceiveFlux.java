// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import io.reactivenetio.transport.NetioAbortedException;
import java.nio.ByteBuffer;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/** The messages of one connection as a Flux for one subscriber. */
final class ReceiveFlux<T> extends Flux<T> {
    private final Inbound inbound;
    private final Function<? super ByteBuffer, ? extends T> decoder;

    ReceiveFlux(Inbound inbound, Function<? super ByteBuffer, ? extends T> decoder) {
        this.inbound = inbound;
        this.decoder = decoder;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        ReceiveSubscription<T> subscription = new ReceiveSubscription<>(inbound, actual, decoder);
        if (inbound.loop().inEventLoop()) {
            subscription.start();
            return;
        }
        try {
            inbound.loop().execute(subscription::start);
        } catch (RejectedExecutionException e) {
            Operators.error(actual, new NetioAbortedException("the event loop has terminated", 0, e));
        }
    }
}
