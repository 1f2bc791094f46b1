// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Exceptions;

/** Whom a subscriber tells what, beside the messages. Those of a kind are called in the order they were added, on the loop. */
record SubscriberHooks(List<MissedRule> missed, Consumer<? super Slow> slow, Consumer<? super RunChange> runChange) {
    static final SubscriberHooks NONE = new SubscriberHooks(List.of(), nothing -> { }, nothing -> { });

    /** Under the name of the class that users know. */
    private static final Logger LOG = LoggerFactory.getLogger("io.reactivenetio.pubsub.NetioSubscriber");

    SubscriberHooks andMissed(MissedRule rule) {
        return new SubscriberHooks(Stream.concat(missed.stream(), Stream.of(rule)).toList(), slow, runChange);
    }

    SubscriberHooks andSlow(Consumer<? super Slow> next) {
        return new SubscriberHooks(missed, then("doOnSlow", slow, next), runChange);
    }

    SubscriberHooks andRunChange(Consumer<? super RunChange> next) {
        return new SubscriberHooks(missed, slow, then("doOnRunChange", runChange, next));
    }

    /** What {@code next} throws is the user's; the messages go on. */
    private static <T> Consumer<T> then(String hook, Consumer<? super T> first, Consumer<? super T> next) {
        return event -> {
            first.accept(event);
            try {
                next.accept(event);
            } catch (Throwable t) {
                Exceptions.throwIfJvmFatal(t);
                LOG.warn("{} has thrown", hook, t);
            }
        };
    }
}
