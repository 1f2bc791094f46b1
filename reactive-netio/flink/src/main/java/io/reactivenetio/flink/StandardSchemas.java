// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.RunChange;
import io.reactivenetio.pubsub.SequencedMessage;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.util.Collector;
import org.apache.flink.util.function.SerializableFunction;

/** The schemas that {@link NetioDeserializationSchema} has methods for. Each is copied to the readers by Java serialization. */
final class StandardSchemas {
    private StandardSchemas() {
    }

    /** Makes one value of each message. */
    record DecoderSchema<T>(TypeInformation<T> type, SerializableFunction<TaggedMessage, T> decoder)
            implements NetioDeserializationSchema<T> {
        @Override
        public void deserialize(NetioEndpoint from, SequencedMessage message, Collector<T> out) {
            out.collect(decoder.apply(message.message()));
        }

        @Override
        public TypeInformation<T> getProducedType() {
            return type;
        }
    }

    /** Tells everything, with what another schema makes of each message. */
    record EventSchema<T>(NetioDeserializationSchema<T> values) implements NetioDeserializationSchema<NetioEvent<T>> {
        @Override
        public void open(DeserializationSchema.InitializationContext context) throws Exception {
            values.open(context);
        }

        @Override
        public void deserialize(NetioEndpoint from, SequencedMessage message, Collector<NetioEvent<T>> out) throws IOException {
            values.deserialize(from, message, new Collector<>() {
                @Override
                public void collect(T value) {
                    out.collect(new NetioEvent.Message<>(from, message.tags(), message.run(), message.sequence(),
                            message.message().tag(), message.message().status(), value));
                }

                @Override
                public void close() {
                    // no more than the other one
                }
            });
        }

        @Override
        public void gap(NetioEndpoint from, Gap gap, Collector<NetioEvent<T>> out) {
            out.collect(new NetioEvent.Gap<>(from, gap.tags(), gap.run(), gap.from(), gap.to()));
        }

        @Override
        public void runChange(NetioEndpoint from, RunChange change, Collector<NetioEvent<T>> out) {
            out.collect(new NetioEvent.RunChange<>(from, change.tags(), change.last(), change.run()));
        }

        @Override
        public TypeInformation<NetioEvent<T>> getProducedType() {
            return NetioEvent.type(values.getProducedType());
        }
    }

    /** Gives payloads to a schema of Flink. */
    record PayloadSchema<T>(DeserializationSchema<T> schema) implements NetioDeserializationSchema<T> {
        @Override
        public void open(DeserializationSchema.InitializationContext context) throws Exception {
            schema.open(context);
        }

        @Override
        public void deserialize(NetioEndpoint from, SequencedMessage message, Collector<T> out) throws IOException {
            schema.deserialize(bytes(message.message().payload()), out);
        }

        /** Its array, if that is all of it, as it is as a rule. */
        private static byte[] bytes(ByteBuffer payload) {
            if (payload.hasArray() && payload.arrayOffset() == 0 && payload.position() == 0
                    && payload.remaining() == payload.array().length) {
                return payload.array();
            }
            byte[] bytes = new byte[payload.remaining()];
            payload.duplicate().get(bytes);
            return bytes;
        }

        @Override
        public TypeInformation<T> getProducedType() {
            return schema.getProducedType();
        }
    }
}
