// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.loop.EventLoop;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A source of a publisher, for one tag or several. */
interface TagSource {
    /** What {@link #join} returns if the source does not number its messages. */
    long UNNUMBERED = -1;

    /** The tags that its messages may have. */
    Tags tags();

    /** Whether it has ended, so that another source may take its place. */
    default boolean isOver() {
        return false;
    }

    /** Whether a subscription to {@code wanted} gets messages of this source. */
    boolean serves(Tags wanted);

    /** Why this source refuses a subscriber with the policy {@code wished}; null if it does not. */
    default @Nullable String refusal(SlowPolicy wished) {
        return null;
    }

    /** Whether all subscribers share the messages of this source, which go on without them. */
    default boolean isShared() {
        return false;
    }

    /** The policy that this source has for a subscriber that wishes {@code wished}. */
    default SlowPolicy policy(SlowPolicy wished) {
        return wished;
    }

    /**
     * Fills {@code queue} from now on. Returns the number of its next message, or {@link #UNNUMBERED}. It is called on the loop.
     * {@code turns} are those of the subscription's connection.
     */
    long join(SubscriberQueue queue, Tags wanted, EventLoop loop, Executor turns);

    /** Names the life of this source, in which {@link #join}'s number means one message; 0 if it numbers none. */
    default long run() {
        return 0;
    }

    /** How many messages it has published so far, for whomever. Any thread may ask. */
    long published();

    /** How many messages it keeps for the next subscription. Any thread may ask. */
    default int kept() {
        return 0;
    }

    /** Gives up what it keeps, because nobody can subscribe to it any more. */
    default void retire() {
        // most keep nothing
    }

    /** Ends all subscriptions to this source. */
    void close();
}
