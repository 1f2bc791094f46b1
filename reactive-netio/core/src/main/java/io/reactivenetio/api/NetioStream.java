// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

/**
 * The streams of one tag on a connection with {@link io.reactivenetio.Framing#stream}, one in each direction. Each has a demand
 * of its own. A stream that nobody asks for holds up no other. All methods may be called on any thread.
 *
 * <p>Receiving subscribes to the tag at the peer, anew for each subscriber. A tag can be subscribed to once at a time on a
 * connection, and again as soon as that subscription is cancelled or has ended. A second subscription meanwhile fails with
 * {@link io.reactivenetio.transport.exceptions.NetioStreamException}, {@code LIMIT}.
 *
 * <p>Sends wait for the peer to subscribe, and so does {@link #completeOutbound}. When the peer cancels, the sends of that
 * subscription fail. What is sent from then on waits for the peer's next subscription.
 */
public interface NetioStream extends NetioInbound, NetioOutbound {

    /** The tag, which tells the streams of a connection apart. It is a number without sign. */
    long tag();

    /**
     * Returns this stream with a prefetch that is fixed: it asks the peer for up to {@code messages} more than its subscriber's
     * demand, of 16 MiB together at most. With 0 the peer is asked for exactly the demand, as work queues and tests may want it.
     *
     * <p>Unless {@link io.reactivenetio.Framing.Stream#prefetch(int)} has set one, a stream adapts. It passes the first request
     * on exactly, so {@code take(n)} takes n from the source. From the second request on it is ahead of the demand by as many
     * messages as the subscriber takes in about two round trips, or in 4 ms. It asks for more while the subscriber waits, and
     * for fewer while more than half of them wait for the subscriber. A slow subscriber is ahead by one message, and {@code
     * concatMap}, which asks for one message at a time, does not wait for the wire. Demand without end is passed on as it is.
     *
     * <p>Messages that come ahead of demand wait in their pages, or in the heap when half of the connection's pages are in use. A
     * stream that is cancelled discards them, and {@link ConnectionStatistics#discardedMessages} counts them.
     *
     * @throws IllegalArgumentException if {@code messages} is negative
     */
    NetioStream prefetch(int messages);

    /**
     * Returns this stream with prefetch as {@link #prefetch(int)} does, and a limit of {@code bytes} instead of 16 MiB. The peer
     * is asked for as many messages as have room in the limit, of the size of the largest so far, but at least one. That begins
     * with one message and doubles with those that arrive. Messages that suddenly grow may take twice the limit. Beyond that
     * they wait in their pages, and other streams may have to wait for these pages.
     *
     * @throws IllegalArgumentException if {@code messages} is negative, or if it is not 0 and {@code bytes} is less than 1
     */
    NetioStream prefetch(int messages, long bytes);
}
