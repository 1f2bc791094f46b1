// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;


/** Told what the subscriber of an {@link Inbound} does, where the peer is to know it. On the loop. */
public interface DemandListener {
    /** Nobody is told: the receive buffers are the demand. */
    DemandListener NONE = new DemandListener() {
        @Override
        public void subscribed() {
        }

        @Override
        public void request(long n) {
        }

        @Override
        public void drained() {
        }

        @Override
        public void cancel() {
        }
    };

    /** There is a subscriber; before anything else, and once. */
    void subscribed();

    /** It wants {@code n} messages more; {@link Long#MAX_VALUE} is without end. */
    void request(long n);

    /**
     * Whether one more message may be delivered ahead of demand, where {@code queued} of them wait already for an operator that
     * polls.
     */
    default boolean hasRoom(int queued) {
        return true;
    }

    /** Messages that waited have been delivered. */
    void drained();

    /** The subscriber was given {@code messages} more, of {@code bytes} together; once for all that lie one behind the other. */
    default void delivered(long messages, long bytes) {
        // the connection counts them anyway
    }

    /** It wants no more. Once, and not after the end. */
    void cancel();
}
