// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

/** What there is to know of a stream that is received, beside its messages. On the loop. */
public interface SubscriptionListener {
    /** For whom only the messages count. */
    SubscriptionListener NONE = new SubscriptionListener() {
        @Override
        public void subscribed(long next) {
        }

        @Override
        public void dropped(long n) {
        }
    };

    /** The peer hears of the subscription before anything that is sent from now on; it may have waited for a number. */
    default void opened() {
        // who sends nothing need not know
    }

    /** The publisher numbers its messages, and the next one has this number. */
    void subscribed(long next);

    /** {@code n} messages more were dropped, because this side was slow. */
    void dropped(long n);
}
