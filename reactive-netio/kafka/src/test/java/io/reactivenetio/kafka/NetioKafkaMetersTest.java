// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivenetio.api.TaggedMessage;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

class NetioKafkaMetersTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @Test
    void shouldShowWhatSinkAndSourceHaveDone() {
        MockClients clients = new MockClients(true);
        clients.consumers = () -> new FilledConsumer(2, FilledConsumer.records(20, 2, i -> i));
        NetioKafkaSink sink = NetioKafkaSink.create("host:1").clients(clients).topic("run");
        NetioKafkaSource source = NetioKafkaSource.create("host:1").clients(clients).topics("run").toPresentEnd();
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        NetioKafkaMeters.of(sink, Tags.of("name", "a")).bindTo(registry);
        NetioKafkaMeters.of(source, Tags.of("name", "b")).bindTo(registry);
        sink.sendTagged(Flux.range(0, 7).map(i -> TaggedMessage.of(i, ByteBuffer.allocate(10)))).blockLast(LONG);
        source.messages().blockLast(LONG);
        assertThat(registry.get("netio.kafka.acknowledged").tag("name", "a").functionCounter().count()).isEqualTo(7);
        assertThat(registry.get("netio.kafka.acknowledged.bytes").functionCounter().count()).isEqualTo(70);
        assertThat(registry.get("netio.kafka.in.flight").gauge().value()).isZero();
        assertThat(registry.get("netio.kafka.emitted").tag("name", "b").functionCounter().count()).isEqualTo(20);
        assertThat(registry.get("netio.kafka.lag").gauge().value()).isZero();
    }
}
