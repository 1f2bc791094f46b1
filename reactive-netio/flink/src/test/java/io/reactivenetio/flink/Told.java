// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.RunChange;
import io.reactivenetio.pubsub.SequencedMessage;
import java.nio.ByteBuffer;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.util.Collector;

/** A record for accounts: messages {@code from} to {@code to} have arrived or are missing; or a new run if {@code to} is -1. */
public record Told(String endpoint, long run, long from, long to, boolean arrived, long value) {
    /** Makes one of everything. */
    static final class Schema implements NetioDeserializationSchema<Told> {
        private static final long serialVersionUID = 1;

        @Override
        public void deserialize(NetioEndpoint from, SequencedMessage message, Collector<Told> out) {
            ByteBuffer payload = message.message().payload();
            out.collect(new Told(from.toString(), message.run(), message.sequence(), message.sequence(), true,
                    payload.remaining() < Long.BYTES ? 0 : payload.getLong(payload.position())));
        }

        @Override
        public void gap(NetioEndpoint from, Gap gap, Collector<Told> out) {
            out.collect(new Told(from.toString(), gap.run(), gap.from(), gap.to(), false, 0));
        }

        @Override
        public void runChange(NetioEndpoint from, RunChange change, Collector<Told> out) {
            out.collect(new Told(from.toString(), change.run(), 0, -1, false, 0));
        }

        @Override
        public TypeInformation<Told> getProducedType() {
            return TypeInformation.of(Told.class);
        }
    }
}
