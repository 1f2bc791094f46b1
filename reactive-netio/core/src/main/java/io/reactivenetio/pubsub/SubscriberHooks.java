// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.diagnostics.UserCode;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whom a subscriber tells what, beside the messages. Those of a kind are called in the order they were added, on the loop. */
record SubscriberHooks(List<MissedRule> missed, Consumer<? super Slow> slow, Consumer<? super RunChange> runChange) {
    static final SubscriberHooks NONE = new SubscriberHooks(List.of(), nothing -> { }, nothing -> { });

    /** Writes under the name of the class that users know. */
    private static final Logger LOG = LoggerFactory.getLogger("io.reactivenetio.pubsub.NetioSubscriber");

    SubscriberHooks andMissed(MissedRule rule) {
        return new SubscriberHooks(Stream.concat(missed.stream(), Stream.of(rule)).toList(), slow, runChange);
    }

    SubscriberHooks andSlow(Consumer<? super Slow> next) {
        return new SubscriberHooks(missed, event -> {
            slow.accept(event);
            UserCode.tell(next, event, LOG, "doOnSlow has thrown");
        }, runChange);
    }

    SubscriberHooks andRunChange(Consumer<? super RunChange> next) {
        return new SubscriberHooks(missed, slow, event -> {
            runChange.accept(event);
            UserCode.tell(next, event, LOG, "doOnRunChange has thrown");
        });
    }
}
