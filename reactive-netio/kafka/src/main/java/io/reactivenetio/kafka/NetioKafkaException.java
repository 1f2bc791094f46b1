// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import io.reactivenetio.transport.exceptions.NetioException;
import org.jspecify.annotations.Nullable;

/**
 * What went wrong between this program and Kafka. The message says it for a person, with the brokers' address, the topic, or the
 * tag and sequence of the message. The cause is the Kafka client's own exception, if it has said something.
 */
public final class NetioKafkaException extends NetioException {
    private static final long serialVersionUID = 1L;

    private final Reason reason;
    private final long unacknowledged;

    NetioKafkaException(Reason reason, String message, @Nullable Throwable cause) {
        this(reason, message, 0, cause);
    }

    NetioKafkaException(Reason reason, String message, long unacknowledged, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
        this.unacknowledged = unacknowledged;
    }

    /** Kinds of failures, for programs. */
    public enum Reason {
        /** No broker answered in time. */
        NO_BROKER,
        /** There is no such topic. */
        NO_TOPIC,
        /** Kafka refuses this program: its user may not do that, or has not shown who it is. */
        NOT_ALLOWED,
        /** A message is larger than the producer or the broker takes. */
        TOO_LARGE,
        /**
         * The time of a record: one that Kafka cannot have, or one that the broker does not take, because it is too far from its
         * own clock ({@code message.timestamp.after.max.ms}, {@code message.timestamp.before.max.ms}).
         */
        TIMESTAMP,
        /** Another producer has the same transactional id, and has begun later. */
        FENCED,
        /** The wished offset is not, or no more, in the topic. */
        NO_OFFSET,
        /** A record cannot be made a message again: it has no tag. */
        NOT_A_MESSAGE,
        /** A setting that the Kafka client refuses. */
        SETTINGS,
        /** Anything else that Kafka reports. */
        OTHER
    }

    /** What kind of failure this is. */
    public Reason reason() {
        return reason;
    }

    /** How many messages a sink had taken that are not known to be in Kafka. Some of them may be. 0 where none were sent. */
    public long unacknowledged() {
        return unacknowledged;
    }
}
