// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.SequencedMessage;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** What docs/beyond-one-machine.md shows of Flink, so that it compiles. */
final class PageSnippets {
    private PageSnippets() {
    }

    /** A hit, or how many are missing before the next one. */
    public record Hit(long time, int channel, long missing) {
    }

    static final OutputTag<String> MISSING = new OutputTag<>("missing", Types.STRING);

    private static Hit hit(ByteBuffer payload) {
        return new Hit(payload.getLong(), payload.getInt(), 0);
    }

    @SuppressWarnings("serial") // a job and its readers have the same version
    static SingleOutputStreamOperator<Hit> hits(StreamExecutionEnvironment env) {
        NetioSource<NetioEvent<Hit>> source = NetioSource.<NetioEvent<Hit>>builder()
                .endpoint("daq1", 7000).endpoint("daq2", 7000) // each with each of the tags is a split
                .tag(7).tags(0x1000, 0x1fff)
                .deserializer(NetioDeserializationSchema.events(TypeInformation.of(Hit.class), message -> hit(message.payload())))
                .whenSlow(SlowPolicy.DROP_OLDEST)
                .build();
        return env.fromSource(source, WatermarkStrategy.noWatermarks(), "events").process(new ProcessFunction<>() {
            @Override
            public void processElement(NetioEvent<Hit> event, Context context, Collector<Hit> out) {
                switch (event) {
                    case NetioEvent.Message<Hit> message -> out.collect(message.value());
                    case NetioEvent.Gap<Hit> gap -> context.output(MISSING, gap.messages() + " of " + gap.split());
                    case NetioEvent.RunChange<Hit> change -> context.output(MISSING, change.split() + " has begun anew");
                }
            }
        });
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
                .endpoint("daq1", 7000).tag(7).deserializer(new HitSchema()).build();
        return env.fromSource(source, WatermarkStrategy.<Hit>forBoundedOutOfOrderness(Duration.ofMillis(100))
                .withTimestampAssigner((hit, none) -> hit.time()).withIdleness(Duration.ofSeconds(5)), "hits");
    }

    static DataStream<Hit> recorded(StreamExecutionEnvironment env) {
        NetioSource<Hit> source = NetioSource.<Hit>builder().endpoint("recorder1", 7001).tag(7)
                .deserializer(new HitSchema()).recording(false).build();
        return env.fromSource(source, WatermarkStrategy.forMonotonousTimestamps(), "recorded hits"); // at the times of recording
    }
}
