// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.loop.EventLoop;

/** Takes the signals of a {@link StreamSource}. On the loop. */
public interface StreamSourcePort {
    /** The loop of the connection. Any thread. */
    EventLoop loop();

    /** Runs tasks in the turns of the connection. It is the same for all of its streams. Any thread. */
    ConnectionTurns turns();

    /** Says that there are messages to poll, if the peer has asked for any. */
    void ready();

    /**
     * Says that the next message is the one with this number. Called before the first message is polled, or not at all.
     *
     * @param run names the life of what numbers the messages. Then each message has its {@linkplain SharedMessage#number number},
     *     and the peer is told where some are left out. 0: the messages have none
     */
    void numbered(long next, long run);

    /** Says that {@code n} messages more were dropped for this subscriber; at least 1. */
    void dropped(long n);

    /** Says that {@code waiting} messages wait for a slow subscriber, of {@code capacity} that may. The last call counts. */
    void queued(int waiting, int capacity);

    /** Completes the stream after the messages that were polled. */
    void complete();

    /**
     * Fails the stream with the code of a {@code StreamError} after the messages that were polled, as {@link #complete} completes
     * it.
     */
    void failAfterPolled(int code, String text);

    /**
     * Fails the stream at once, with the code of a {@code StreamError}: for what must not wait. A message that was polled is
     * given back, see {@link StreamSource#unsent}.
     */
    void fail(int code, String text);
}
