// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

/** Is told what happens to a stream that is received, besides its messages. On the loop. */
public interface SubscriptionListener {
    /** Ignores everything. */
    SubscriptionListener NONE = new SubscriptionListener() {
        @Override
        public void subscribed(long next, long run, long waiting) {
        }

        @Override
        public void dropped(long n) {
        }
    };

    /**
     * Called when the stream has got its number, which it may have waited for. The peer hears of the subscription before anything
     * that is sent from now on.
     */
    default void opened() {
        // only a listener that sends, too, has to know
    }

    /** Called when the subscription is in a page: from now on the peer will hear of it, and of its end. */
    default void written() {
        // only a listener that may end at once has to know
    }

    /** Called when the subscriber was given {@code messages} more, of {@code bytes} together. */
    default void delivered(long messages, long bytes) {
        // most listeners count nothing
    }

    /** Called when nothing of the stream is told any more, before its subscriber knows; messages may still wait for demand. */
    default void ended() {
        // most listeners keep nothing
    }

    /**
     * Called if the publisher numbers its messages: the next one has the number {@code next}. A publisher that says its run tells
     * it again where it leaves messages out.
     *
     * @param run names the life of what numbers the messages, in which a number means one message; 0 if it is not said
     * @param waiting how many messages have arrived and wait for demand, which are before the next one
     */
    void subscribed(long next, long run, long waiting);

    /** Called when {@code n} messages more were dropped, because this side was slow. */
    void dropped(long n);

    /**
     * Called when the publisher says that this side is slow: {@code waiting} messages wait for it there, of {@code capacity} that
     * may. 0 says that this side has caught up.
     */
    default void queued(int waiting, int capacity) {
        // most listeners have no publisher that queues
    }
}
