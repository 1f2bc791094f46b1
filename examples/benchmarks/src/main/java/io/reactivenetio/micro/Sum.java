// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** A subscriber that reads one number of each message, and asks for all of them at first or for one after the other. */
final class Sum implements CoreSubscriber<ByteBuffer> {
    private final long first;
    private final long more;
    private @Nullable Subscription subscription;
    private long elements;
    private long value;

    private Sum(long first, long more) {
        this.first = first;
        this.more = more;
    }

    static Sum ofAll() {
        return new Sum(Long.MAX_VALUE, 0);
    }

    static Sum oneByOne() {
        return new Sum(1, 1);
    }

    /** Creates a sum of what {@link #request} asks for. */
    static Sum onRequest() {
        return new Sum(0, 0);
    }

    @Override
    public void onSubscribe(Subscription given) {
        subscription = given;
        request(first);
    }

    void request(long n) {
        if (n > 0 && subscription != null) {
            subscription.request(n);
        }
    }

    @Override
    public void onNext(ByteBuffer message) {
        value += message.getLong(0);
        elements++;
        request(more);
    }

    @Override
    public void onError(Throwable error) {
        throw new IllegalStateException(error);
    }

    @Override
    public void onComplete() {
        throw new IllegalStateException("the messages have ended");
    }

    long elements() {
        return elements;
    }

    /** What was in them. */
    long value() {
        return value;
    }
}
