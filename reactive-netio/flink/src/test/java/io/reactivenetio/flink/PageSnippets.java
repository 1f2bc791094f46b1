// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.SequencedMessage;
import io.reactivenetio.pubsub.SlowPolicy;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;

/** What docs/beyond-one-machine.md shows of Flink, so that it compiles. */
final class PageSnippets {
    private PageSnippets() {
    }

    /** A hit, or how many are missing before the next one. */
    public record Hit(long time, int channel, long missing) {
    }

    @SuppressWarnings("serial") // a job and its readers have the same version
    static class HitSchema implements NetioDeserializationSchema<Hit> {
        private long last;

        @Override
        public void deserialize(NetioEndpoint from, SequencedMessage message, Collector<Hit> out) {
            ByteBuffer payload = message.message().payload();
            last = payload.getLong();
            out.collect(new Hit(last, payload.getInt(), 0));
        }

        @Override
        public void gap(NetioEndpoint from, Gap gap, Collector<Hit> out) {
            out.collect(new Hit(last, -1, gap.messages())); // a record with a time like others, so windows have it, too
        }

        @Override
        public TypeInformation<Hit> getProducedType() {
            return TypeInformation.of(Hit.class);
        }
    }

    static DataStream<Hit> live(StreamExecutionEnvironment env) {
        NetioSource<Hit> source = NetioSource.<Hit>builder()
                .endpoint("daq1", 7000).endpoint("daq2", 7000) // each with each of the tags is a split
                .tag(7).tags(0x1000, 0x1fff)
                .deserializer(new HitSchema())
                .whenSlow(SlowPolicy.DROP_OLDEST)
                .build();
        return env.fromSource(source, WatermarkStrategy.<Hit>forBoundedOutOfOrderness(Duration.ofMillis(100))
                .withTimestampAssigner((hit, none) -> hit.time()).withIdleness(Duration.ofSeconds(5)), "hits");
    }

    static DataStream<Hit> recorded(StreamExecutionEnvironment env) {
        NetioSource<Hit> source = NetioSource.<Hit>builder().endpoint("recorder1", 7001).tag(7)
                .deserializer(new HitSchema()).recording(false).build();
        return env.fromSource(source, WatermarkStrategy.forMonotonousTimestamps(), "recorded hits"); // at the times of recording
    }
}
