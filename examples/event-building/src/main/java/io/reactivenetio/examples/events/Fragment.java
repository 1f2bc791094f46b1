// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.events;

import io.reactivenetio.flink.NetioDeserializationSchema;
import io.reactivenetio.flink.NetioEndpoint;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.SequencedMessage;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.util.Collector;

/**
 * What a link has of events {@code from} to {@code to}: a fragment of one event, or fragments that are missing.
 *
 * @param link the number of the link
 * @param from the first event
 * @param to the last event
 * @param arrived whether it is a fragment; else all of these are missing
 */
public record Fragment(int link, long from, long to, boolean arrived) {

    /** Makes records of messages and of gaps. */
    static final class Schema implements NetioDeserializationSchema<Fragment> {
        private static final long serialVersionUID = 1;

        @Override
        public void deserialize(NetioEndpoint from, SequencedMessage message, Collector<Fragment> out) {
            long event = message.message().payload().getLong(0);
            out.collect(new Fragment((int) message.message().tag(), event, event, true));
        }

        @Override
        public void gap(NetioEndpoint from, Gap gap, Collector<Fragment> out) {
            out.collect(new Fragment((int) gap.tags().first(), gap.from(), gap.to(), false));
        }

        @Override
        public TypeInformation<Fragment> getProducedType() {
            return TypeInformation.of(Fragment.class);
        }
    }
}
