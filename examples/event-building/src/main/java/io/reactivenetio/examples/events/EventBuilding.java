// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.events;

import io.reactivenetio.flink.NetioSource;
import io.reactivenetio.flink.NetioSourceBuilder;
import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The job: fragments in, events to Kafka, and the sums of them. */
final class EventBuilding {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private EventBuilding() {
    }

    /** {@code rate} is in events per second: it makes the time of an event, as messages have none. */
    static void build(StreamExecutionEnvironment env, BackendType backend, int port, int links, long rate, Sink<Totals> sums,
            Sink<Event> events) {
        NetioSourceBuilder<Fragment> source = NetioSource.<Fragment>builder().endpoint("127.0.0.1", port)
                .deserializer(new Fragment.Schema()).client(client -> client.backend(backend));
        for (int link = 0; link < links; link++) {
            source.tag(link);
        }
        long second = TimeUnit.SECONDS.toMillis(1);
        SingleOutputStreamOperator<Totals> counted = env.fromSource(source.build(),
                WatermarkStrategy.<Fragment>forMonotonousTimestamps()
                        .withTimestampAssigner((fragment, none) -> fragment.to() * second / rate)
                        .withIdleness(Duration.ofSeconds(15)), "links").uid("links")
                .keyBy(Fragment::from).process(new EventBuilder(links, TIMEOUT.toMillis())).uid("builder").name("builder")
                .keyBy(built -> 0).process(new EventCounter(links)).uid("counter").name("counter").setParallelism(1);
        counted.sinkTo(sums).uid("sink").setParallelism(1);
        counted.getSideOutput(EventCounter.EVENTS).sinkTo(events).uid("kafka").name("kafka").setParallelism(1);
    }

    /** Has everything in Kafka that it got before a checkpoint when that is complete: nothing is lost, some may be doubled. */
    static Sink<Event> kafka(String brokers, String topic) {
        return KafkaSink.<Event>builder().setBootstrapServers(brokers).setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE)
                .setProperty("linger.ms", "5").setRecordSerializer((event, context, time) -> event.record(topic)).build();
    }
}
