// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A message with a tag: one of a publisher, or one sent with {@link io.reactivenetio.api.NetioOutbound#sendTagged}.
 *
 * @param tag what the message is about, 64 bits
 * @param status what the sender says of the message, 0 to 255; 0 means as a rule that all is well
 * @param payload the message's bytes, from position to limit; of a received message a heap buffer of its own
 */
public record TaggedMessage(long tag, int status, ByteBuffer payload) {
    private static final int MAX_STATUS = 255;

    /** @throws IllegalArgumentException if the status is not within 0 to 255 */
    public TaggedMessage {
        Objects.requireNonNull(payload, "payload");
        if (status < 0 || status > MAX_STATUS) {
            throw new IllegalArgumentException("status must be 0 to " + MAX_STATUS + ": " + status);
        }
    }

    /** Creates a message with status 0. */
    public static TaggedMessage of(long tag, ByteBuffer payload) {
        return new TaggedMessage(tag, 0, payload);
    }
}
