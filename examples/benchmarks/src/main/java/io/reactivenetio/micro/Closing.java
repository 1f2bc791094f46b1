// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

import io.reactivenetio.api.Lease;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** A subscriber that shows each lease to another one and gives it back. */
record Closing(Sum sum) implements CoreSubscriber<Lease> {

    @Override
    public void onSubscribe(Subscription subscription) {
        sum.onSubscribe(subscription);
    }

    @Override
    public void onNext(Lease lease) {
        try (lease) {
            sum.onNext(lease.buffer());
        }
    }

    @Override
    public void onError(Throwable error) {
        sum.onError(error);
    }

    @Override
    public void onComplete() {
        sum.onComplete();
    }
}
