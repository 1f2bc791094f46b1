// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import io.reactivenetio.api.TaggedMessage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** A time that is a number in the payload: so many units since 1970. */
record PayloadTime(int offset, ByteOrder order, ChronoUnit unit) {
    PayloadTime {
        if (offset < 0) {
            throw new IllegalArgumentException("a time is at an offset in the payload, 0 or more: " + offset);
        }
    }

    /** Null if the message is too short for one. */
    @Nullable Instant of(TaggedMessage message) {
        ByteBuffer payload = message.payload();
        if (payload.remaining() - Long.BYTES < offset) {
            return null;
        }
        long number = payload.duplicate().order(order).getLong(payload.position() + offset);
        try {
            return Instant.EPOCH.plus(number, unit);
        } catch (ArithmeticException | DateTimeException e) {
            return number < 0 ? Instant.MIN : Instant.MAX; // refused as what it is
        }
    }
}
