// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import io.reactivenetio.wire.FrameReader;

/**
 * A run in whose page a subscription can find the next messages itself, with {@link FrameReader#following}, so that nothing but
 * the message is looked at for each. What is unusual, and the last message that may come, is left to {@link #next}. On the loop.
 */
public interface FollowingMessages extends MessageRun {
    /** How many messages behind this one may come; {@link Long#MAX_VALUE} is without end. */
    long following();

    /** The size of the largest message that may come, in bytes. */
    int largestFollowing();

    /** Shows a message of {@code bytes} at {@code from} that was found there; {@link #skipTo} says later that it was. */
    void show(int from, int bytes);

    /** Where the frame behind this message begins in {@link #inMemory}. */
    int behind();

    /** Where the page ends in {@link #inMemory}. */
    int end();

    /** Whether the connection goes on: if not, no more messages may be delivered. */
    boolean goesOn();

    /**
     * Goes on by {@code messages} that were found, of at most {@code largest} bytes each, to the last of them, which has {@code
     * bytes} at {@code from}.
     */
    void skipTo(int messages, int largest, int from, int bytes);
}
