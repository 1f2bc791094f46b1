// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.RunChange;
import io.reactivenetio.pubsub.SequencedMessage;
import java.io.IOException;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.util.Collector;

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
