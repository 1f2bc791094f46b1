// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.loop.EventLoop;

/** Where a {@link StreamSource} says what it has. On the loop. */
public interface StreamSourcePort {
    /** Any thread. */
    EventLoop loop();

    /** There are messages to poll, if the peer wants any. */
    void ready();

    /** The next message is the one with this number. Said before the first is polled, or not at all. */
    void numbered(long next);

    /** {@code n} messages more were dropped for this subscriber; at least 1. */
    void dropped(long n);

    /** No message will follow those that were polled. */
    void complete();

    /** Ends it at once, with a code of the wire format. */
    void fail(int code, String text);
}
