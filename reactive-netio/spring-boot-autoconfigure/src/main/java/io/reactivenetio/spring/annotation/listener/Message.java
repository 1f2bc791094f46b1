// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import io.reactivenetio.api.Lease;
import io.reactivenetio.api.MessageBatch;
import org.jspecify.annotations.Nullable;

/**
 * A message as a method takes it, or a batch of them.
 *
 * @param tag 0 for a batch, whose messages have their own, as they have their status
 * @param bytes how large its payload is; 0 for a lease or a batch, which is in a receive buffer
 * @param content a ByteBuffer, a TaggedMessage, a Lease, a MessageBatch, or what was decoded; null if decoding has failed
 * @param error what decoding has thrown
 */
record Message(long tag, int status, int bytes, @Nullable Object content, @Nullable Throwable error) {

    static Message of(Lease lease) {
        return new Message(lease.tag(), lease.status(), 0, lease, null);
    }

    static Message of(MessageBatch batch) {
        return new Message(0, 0, 0, batch, null);
    }

    /** The same message with another content. */
    Message with(@Nullable Object other) {
        return new Message(tag, status, bytes, other, error);
    }

    /** Gives the lease back, if it is one. */
    void close() {
        if (content instanceof Lease lease) {
            lease.close();
        }
    }
}
