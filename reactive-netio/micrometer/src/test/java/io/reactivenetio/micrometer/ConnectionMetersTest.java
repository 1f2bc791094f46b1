// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivenetio.Framing;
import io.reactivenetio.NetioMetrics;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.transport.BackendType;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;

/** What the meters show of connections. */
@Timeout(180)
class ConnectionMetersTest extends TwoEnds {
    private static final int MESSAGES = 1_000;

    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void shouldShowWhatWaitsAndWhatHasArrived(BackendType backend) {
        NetioMetrics metrics = new NetioMetrics();
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        NetioMeters.of(metrics, Tags.of("side", "receiver")).bindTo(registry);
        connect(backend, s -> s.framing(Framing.raw()).receiveBuffers(64, 8).metrics(metrics), c -> c.framing(Framing.raw()));
        client.send(Flux.range(0, MESSAGES).map(TwoEnds::number)).subscribe(nothing -> { }, error -> { });
        Eventually.await(() -> registry.get("netio.credits.in.use").tag("side", "receiver").gauge().value() == 8,
                () -> metrics.statistics().toString());
        assertThat(registry.get("netio.credits").gauge().value()).isEqualTo(8);
        String network = backend == BackendType.TCP ? "tcp" : "libfabric";
        assertThat(registry.get("netio.connections").gauges()).allSatisfy(gauge -> assertThat(gauge.value())
                .isEqualTo(network.equals(gauge.getId().getTag("network")) ? 1 : 0)).hasSize(3);
        server.receive().subscribe(message -> { }, error -> { });
        Eventually.await(() -> registry.get("netio.received.bytes").functionCounter().count() == 8.0 * MESSAGES, // after them
                () -> metrics.statistics().toString());
        assertThat(registry.get("netio.received.messages").functionCounter().count()).isEqualTo(MESSAGES);
        client.dispose();
        Eventually.await(() -> registry.get("netio.connections").tag("network", network).gauge().value() == 0,
                () -> metrics.statistics().toString());
        assertThat(registry.get("netio.received.messages").functionCounter().count()).isEqualTo(MESSAGES);
    }
}
