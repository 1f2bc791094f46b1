// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

/**
 * How far a stream asks the peer ahead of its subscriber.
 *
 * @param messages how many messages may be asked for beyond the subscriber's demand and not delivered to it; 0: none
 * @param bytes the memory for them: they are asked for as far as messages of the size of the largest so far fit there, but at
 *     least one
 * @param adaptive whether {@code messages} is only the most, and how many it is depends on how fast the subscriber takes them
 */
public record Prefetch(int messages, long bytes, boolean adaptive) {
    private static final long DEFAULT_BYTES = 16 << 20;
    private static final int MOST_ADAPTIVE = 65_536;

    /** Asks for the subscriber's demand and no more. */
    public static final Prefetch NONE = of(0);
    /** Asks for the demand exactly until the second request, and from then on as far ahead as the subscriber is fast. */
    public static final Prefetch ADAPTIVE = new Prefetch(MOST_ADAPTIVE, DEFAULT_BYTES, true);

    public Prefetch {
        if (messages < 0) {
            throw new IllegalArgumentException("prefetch must be at least 0 messages: " + messages);
        }
        if (messages > 0 && bytes < 1) {
            throw new IllegalArgumentException("prefetch must be at least 1 byte: " + bytes);
        }
    }

    /** Asks ahead for {@code messages}, of {@code bytes} together at most. */
    public Prefetch(int messages, long bytes) {
        this(messages, bytes, false);
    }

    /** Asks ahead for {@code messages}, of 16 MiB together at most. */
    public static Prefetch of(int messages) {
        return new Prefetch(messages, DEFAULT_BYTES);
    }

    boolean isNone() {
        return messages == 0;
    }
}
