// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.Numbers;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.Tags;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.util.retry.Retry;

/** A subscriber tells on which connection each subscription is, before its first message. */
@Timeout(60)
class SubscribedConnectionTest {
    private static final Retry AT_ONCE = Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(1));

    private final NetioLoops loops = NetioLoops.create("pubsub", 2);
    private final List<NetioConnection> accepted = new CopyOnWriteArrayList<>();
    private final List<Object> events = Collections.synchronizedList(new ArrayList<>());
    private final NetioPublisher publisher = NetioPublisher.create()
            .publishEach(Tags.range(7, 9), tag -> Flux.just(Numbers.number(tag)).concatWith(Flux.never()));
    private DisposableServer server;
    private NetioSubscriber subscriber;

    @BeforeEach
    void serve() {
        server = publisher.serve(NetioServer.create().backend(BackendType.TCP).runOn(loops)).doOnConnection(accepted::add)
                .bindNow();
        subscriber = NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).runOn(loops).port(server.port()))
                .reconnect(AT_ONCE);
    }

    @AfterEach
    void close() {
        server.dispose();
        accepted.forEach(NetioConnection::dispose);
        publisher.dispose();
        loops.dispose();
    }

    private void awaitEvents(int count) {
        Eventually.await(count + " events", () -> events.size() >= count);
    }

    @Test
    void shouldTellBeforeTheFirstMessageOfEachConnection() {
        Disposable subscription = subscriber.doOnSubscribed(events::add).subscribe(7).map(Numbers::number).subscribe(events::add);
        awaitEvents(2);
        accepted.getFirst().dispose();
        awaitEvents(4);
        subscription.dispose();
        assertThat(events).hasSize(4).element(0).isInstanceOf(NetioConnection.class);
        assertThat(events.get(1)).isEqualTo(7L);
        assertThat(events.get(2)).isInstanceOf(NetioConnection.class).isNotEqualTo(events.get(0));
        assertThat(events.get(3)).isEqualTo(7L);
    }

    @Test
    void shouldTellOfEveryWayToSubscribeOnOneConnection() {
        NetioSubscriber telling = subscriber.prefetch(0).doOnSubscribed(events::add).prefetch(16);
        Disposable kept = subscriber.subscribe(7).subscribe();
        telling.subscribe(7, 8, 9).take(3).blockLast(PATIENCE);
        telling.subscribe((tag, status, payload) -> tag, Tags.of(7)).blockFirst(PATIENCE);
        telling.subscribeBatches(Tags.of(7)).map(batch -> 1).blockFirst(PATIENCE);
        telling.subscribeLeased(Tags.of(7)).doOnNext(lease -> lease.close()).blockFirst(PATIENCE);
        assertThat(telling.statistics().connections()).isEqualTo(1);
        assertThat(events).hasSize(6).containsOnly(events.getFirst());
        kept.dispose();
    }

    @Test
    void shouldGoOnAfterAConsumerThatThrows() {
        NetioSubscriber telling = subscriber.doOnSubscribed(connection -> {
            throw new IllegalStateException("thrown by the test");
        }).doOnSubscribed(events::add);
        assertThat(telling.subscribe(7).blockFirst(PATIENCE)).isNotNull();
        assertThat(events).hasSize(1);
    }

    @Test
    void shouldConnectAgainAfterAConsumerThatDisposesOfTheConnection() {
        NetioSubscriber telling = subscriber.doOnSubscribed(connection -> {
            events.add(connection);
            if (events.size() < 3) {
                connection.dispose();
            }
        });
        assertThat(telling.subscribe(7).blockFirst(PATIENCE)).isNotNull();
        assertThat(events).hasSize(3).doesNotHaveDuplicates();
    }
}
