// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.pubsub.SequencedMessage;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.util.Collector;

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
