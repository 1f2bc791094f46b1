// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Fuseable;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/** The messages of one connection as a Flux for one subscriber. */
final class ReceiveFlux<T> extends Flux<T> implements Fuseable, Scannable {
    private final Inbound inbound;
    private final Supplier<? extends ElementMapper<T>> mapper;

    /** {@code mapper}: makes one for each subscriber. */
    ReceiveFlux(Inbound inbound, Supplier<? extends ElementMapper<T>> mapper) {
        this.inbound = inbound;
        this.mapper = mapper;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        ReceiveSubscription<T> subscription = new ReceiveSubscription<>(inbound, actual, mapper.get());
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

    @Override
    public @Nullable Object scanUnsafe(@SuppressWarnings("rawtypes") Attr key) {
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
    }
}
