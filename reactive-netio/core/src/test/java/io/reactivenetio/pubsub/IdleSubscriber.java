// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.Numbers;
import io.reactivenetio.api.TaggedMessage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;

/** Asks for nothing until told to. */
final class IdleSubscriber extends BaseSubscriber<TaggedMessage> {
    private final List<Long> got = Collections.synchronizedList(new ArrayList<>());
    private volatile Throwable failure = new IllegalStateException("none");

    List<Long> got() {
        return got;
    }

    Throwable failure() {
        return failure;
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
        // nothing yet
    }

    @Override
    protected void hookOnNext(TaggedMessage message) {
        got.add(Numbers.number(message));
    }

    @Override
    protected void hookOnError(Throwable error) {
        failure = error;
    }
}
