// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.Link;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.Numbers;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;

/** A subscriber that is slow knows it, as its publisher does. */
@Timeout(180)
class SlowToldTest {
    private final NetioLoops loops = NetioLoops.create("told", 1);

    @AfterEach
    void stop() {
        loops.dispose();
    }

    @ParameterizedTest
    @EnumSource(SlowPolicy.class)
    void shouldTellWhoIsSlow(SlowPolicy policy) {
        NetioPublisher publisher = NetioPublisher.create(policy, 64);
        int count = policy == SlowPolicy.ERROR ? 60 : 1_000;
        publisher.publish(7, Numbers.numbers(count).concatWith(Flux.never()));
        DisposableServer server = publisher.serve(NetioServer.create().backend(BackendType.TCP).host(TestSettings.ADDRESS)
                .runOn(loops)).bindNow();
        List<Slow> told = new CopyOnWriteArrayList<>();
        NetioSubscriber subscriber = NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP)
                .host(TestSettings.ADDRESS).runOn(loops).port(server.port())).doOnSlow(told::add);
        IdleSubscriber idle = new IdleSubscriber();
        subscriber.subscribe(7).subscribe(idle);
        Link.await(() -> publisher.statistics().slow() == 1, () -> publisher.statistics().toString());
        Link.await(() -> !told.isEmpty(), () -> publisher.statistics().toString());
        assertThat(told.getFirst()).isEqualTo(new Slow(Tags.of(7), (int) publisher.statistics().waiting(), 64));
        assertThat(subscriber.statistics()).returns(1, SubscriberStatistics::slow)
                .returns(publisher.statistics().waiting(), SubscriberStatistics::waiting);
        idle.request(Long.MAX_VALUE);
        Link.await(() -> told.getLast().isOver(), told::toString);
        assertThat(subscriber.statistics()).returns(0, SubscriberStatistics::slow)
                .returns(0L, SubscriberStatistics::waiting);
        idle.cancel();
    }
}
