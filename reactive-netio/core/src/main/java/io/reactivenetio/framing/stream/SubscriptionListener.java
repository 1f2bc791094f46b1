// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

/** Is told what happens to a stream that is received, besides its messages. On the loop. */
public interface SubscriptionListener {
    /** Ignores everything. */
    SubscriptionListener NONE = new SubscriptionListener() {
        @Override
        public void subscribed(long next) {
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

    /** Called if the publisher numbers its messages: the next one has the number {@code next}. */
    void subscribed(long next);

    /** Called when {@code n} messages more were dropped, because this side was slow. */
    void dropped(long n);
}
