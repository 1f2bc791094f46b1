// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.TaggedMessage;
import io.reactivenetio.pubsub.SequencedMessage;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.util.Collector;
import org.apache.flink.util.function.SerializableFunction;

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
