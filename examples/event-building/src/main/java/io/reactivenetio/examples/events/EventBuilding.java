// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.events;

import io.reactivenetio.flink.NetioSource;
import io.reactivenetio.flink.NetioSourceBuilder;
import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The job: fragments in, events out, and the sums of them. */
final class EventBuilding {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private EventBuilding() {
    }

    /** {@code rate} is in events per second: it makes the time of an event, as messages have none. */
    static void build(StreamExecutionEnvironment env, int port, int links, long rate, Sink<Totals> sink) {
        NetioSourceBuilder<Fragment> source = NetioSource.<Fragment>builder().endpoint("127.0.0.1", port)
                .deserializer(new Fragment.Schema()).client(client -> client.backend(BackendType.TCP));
        for (int link = 0; link < links; link++) {
            source.tag(link);
        }
        long second = TimeUnit.SECONDS.toMillis(1);
        env.fromSource(source.build(), WatermarkStrategy.<Fragment>forMonotonousTimestamps()
                        .withTimestampAssigner((fragment, none) -> fragment.to() * second / rate)
                        .withIdleness(Duration.ofSeconds(15)), "links").uid("links")
                .keyBy(Fragment::from).process(new EventBuilder(links, TIMEOUT.toMillis())).uid("builder").name("builder")
                .keyBy(built -> 0).process(new EventCounter(links)).uid("counter").name("counter").setParallelism(1)
                .sinkTo(sink).uid("sink").setParallelism(1);
    }
}
