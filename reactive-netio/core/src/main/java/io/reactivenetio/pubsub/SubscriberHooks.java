// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.diagnostics.UserCode;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whom a subscriber tells what, beside the messages. Those of a kind are called in the order they were added, on the loop; those
 * that are told of a connection on the thread that subscribes.
 */
record SubscriberHooks(List<MissedRule> missed, Consumer<? super Slow> slow, Consumer<? super RunChange> runChange,
        Consumer<? super NetioConnection> subscribed) {
    static final SubscriberHooks NONE = new SubscriberHooks(List.of(), nothing -> { }, nothing -> { }, nothing -> { });

    /** Writes under the name of the class that users know. */
    private static final Logger LOG = LoggerFactory.getLogger("io.reactivenetio.pubsub.NetioSubscriber");

    SubscriberHooks andMissed(MissedRule rule) {
        return new SubscriberHooks(Stream.concat(missed.stream(), Stream.of(rule)).toList(), slow, runChange, subscribed);
    }

    SubscriberHooks andSlow(Consumer<? super Slow> next) {
        return new SubscriberHooks(missed, event -> {
            slow.accept(event);
            UserCode.tell(next, event, LOG, "doOnSlow has thrown");
        }, runChange, subscribed);
    }

    SubscriberHooks andRunChange(Consumer<? super RunChange> next) {
        return new SubscriberHooks(missed, slow, event -> {
            runChange.accept(event);
            UserCode.tell(next, event, LOG, "doOnRunChange has thrown");
        }, subscribed);
    }

    SubscriberHooks andSubscribed(Consumer<? super NetioConnection> next) {
        return new SubscriberHooks(missed, slow, runChange, connection -> {
            subscribed.accept(connection);
            UserCode.tell(next, connection, LOG, "doOnSubscribed has thrown");
        });
    }
}
