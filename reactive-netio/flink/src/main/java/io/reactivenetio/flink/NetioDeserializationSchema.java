// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.RunChange;
import io.reactivenetio.pubsub.SequencedMessage;
import java.io.IOException;
import java.io.Serializable;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.util.Collector;
import org.apache.flink.util.function.SerializableFunction;

/**
 * Makes records of messages, and of what is missing. It is copied to each reader by Java serialization. All calls are on the
 * task's thread, in the order of each split. What it throws fails the job. Each method may emit no record, one, or several; all
 * of them are emitted before the next checkpoint.
 *
 * @param <T> the records
 */
public interface NetioDeserializationSchema<T> extends Serializable, ResultTypeQueryable<T> {
    /** Is called once in each reader, before anything else. */
    default void open(DeserializationSchema.InitializationContext context) throws Exception {
    }

    /** Emits what {@code message} stands for. The payload is a heap buffer, which this method may keep. */
    void deserialize(NetioEndpoint from, SequencedMessage message, Collector<T> out) throws IOException;

    /** Is told that messages are missing, before the message that follows them. Unless overridden, metrics count them only. */
    default void gap(NetioEndpoint from, Gap gap, Collector<T> out) throws IOException {
    }

    /**
     * Is told that the source has begun anew, so that nobody knows how many messages of its last run are missing at its end.
     * Unless overridden, metrics count this only.
     */
    default void runChange(NetioEndpoint from, RunChange change, Collector<T> out) throws IOException {
    }

    /**
     * Emits everything as a {@link NetioEvent}: each message with what {@code decoder} makes of it, and what is missing.
     *
     * @param value the type of what {@code decoder} returns
     * @param decoder is copied to each reader by Java serialization, and called on the task's thread. The payload is a heap
     *     buffer that it may keep. What it throws fails the job
     */
    static <T> NetioDeserializationSchema<NetioEvent<T>> events(TypeInformation<T> value,
            SerializableFunction<TaggedMessage, T> decoder) {
        return new StandardSchemas.EventSchema<>(new StandardSchemas.DecoderSchema<>(value, decoder));
    }

    /**
     * Emits everything as a {@link NetioEvent}: what {@code schema} makes of the payload of each message, and what is missing. A
     * schema that makes several records of a payload, or none, makes as many events with the same number.
     */
    static <T> NetioDeserializationSchema<NetioEvent<T>> events(DeserializationSchema<T> schema) {
        return new StandardSchemas.EventSchema<>(payloads(schema));
    }

    /** Emits what {@code schema} makes of the payload of each message. What is missing is counted only. */
    static <T> NetioDeserializationSchema<T> payloads(DeserializationSchema<T> schema) {
        return new StandardSchemas.PayloadSchema<>(schema);
    }
}
