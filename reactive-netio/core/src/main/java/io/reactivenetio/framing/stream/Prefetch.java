// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

/**
 * How far a stream asks the peer ahead of its subscriber.
 *
 * @param messages so many that the subscriber has not been given may be asked for beyond its demand; 0: none
 * @param bytes of them: as many as fit there of the size of the largest so far, but at least one
 */
public record Prefetch(int messages, long bytes) {
    /** The subscriber's demand and no more. */
    public static final Prefetch NONE = new Prefetch(0, 0);

    private static final long DEFAULT_BYTES = 16 << 20;

    public Prefetch {
        if (messages < 0) {
            throw new IllegalArgumentException("prefetch must be at least 0 messages: " + messages);
        }
        if (messages > 0 && bytes < 1) {
            throw new IllegalArgumentException("prefetch must be at least 1 byte: " + bytes);
        }
    }

    /** So many messages, of 16 MiB together at most. */
    public static Prefetch of(int messages) {
        return new Prefetch(messages, DEFAULT_BYTES);
    }

    boolean isNone() {
        return messages == 0;
    }
}
