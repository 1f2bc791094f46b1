// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.ConnectionState;
import io.reactivenetio.api.ConnectionState.Status;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import io.reactivenetio.transport.exceptions.NetioException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** Clients and subscribers tell whether they are connected, since when, to whom, and why not. */
@Timeout(120)
class ConnectionStateTest {
    private final NetioLoops loops = NetioLoops.create("state", 2);
    private final Queue<ConnectionState> seen = new ConcurrentLinkedQueue<>();

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private NetioServer server() {
        return NetioServer.create().backend(BackendType.TCP).runOn(loops);
    }

    private NetioClient client(int port) {
        return NetioClient.create().backend(BackendType.TCP).runOn(loops).port(port);
    }

    private List<Status> statuses() {
        return seen.stream().map(ConnectionState::status).toList();
    }

    @Test
    void shouldFollowAConnection() {
        Queue<NetioConnection> accepted = new ConcurrentLinkedQueue<>();
        DisposableServer server = server().doOnConnection(accepted::add).bindNow(PATIENCE);
        NetioClient client = client(server.port());
        client.states().subscribe(seen::add);
        assertThat(client.state().status()).isEqualTo(Status.NEW);
        NetioConnection connection = client.connectNow(PATIENCE);
        assertThat(client.state().isConnected()).isTrue();
        assertThat(client.state().remoteAddress()).isEqualTo(connection.remoteAddress());
        assertThat(client.state().reason()).isNull();
        Link.await(() -> accepted.size() == 1, () -> "accepted"); // or there is nobody yet who could say that it shuts down
        server.disposeNow(Duration.ofMillis(50));
        connection.onDispose().block(PATIENCE);
        Link.await(() -> !client.state().isConnected(), () -> client.state().toString());
        assertThat(client.state().reason()).isInstanceOf(NetioException.class).hasMessageContaining("shuts down");
        assertThat(client.state().remoteAddress()).isEqualTo(connection.remoteAddress());
        Link.await(() -> seen.size() == 4, seen::toString);
        assertThat(statuses()).containsExactly(Status.NEW, Status.CONNECTING, Status.CONNECTED, Status.DISCONNECTED);
        assertThat(seen).extracting(ConnectionState::since).isSorted();
    }

    /** Its buffers would be allocated for nothing, and the server would meet a peer that says nothing. */
    @Test
    void shouldOpenNothingForConnectsThatAreCancelledBeforeTheLoopGetsToThem() throws Exception {
        NetioLoops ours = NetioLoops.create("ours", 1);
        try (Warnings warnings = new Warnings()) {
            DisposableServer server = server().bindNow(PATIENCE);
            AtomicBoolean held = new AtomicBoolean(true);
            ours.scheduler().schedule(() -> {
                while (held.get()) { // for BlockHound, even a hint to the processor would block the loop
                }
            });
            List<Disposable> attempts = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                attempts.add(client(server.port()).runOn(ours).connect().subscribe());
            }
            Link.await(() -> ours.statistics().getFirst().inboxLength() > 0, () -> "the loop has been given none of them");
            attempts.forEach(Disposable::dispose);
            held.set(false);
            client(server.port()).runOn(ours).connectNow(PATIENCE).dispose();
            assertThat(warnings.text()).doesNotContain("handshake");
        } finally {
            ours.dispose();
        }
    }

    @Test
    void shouldSayWhyThereIsNoConnection() {
        DisposableServer server = server().bindNow(PATIENCE);
        NetioClient client = client(server.port());
        server.disposeNow(Duration.ofMillis(50));
        client.connect().onErrorComplete().block(PATIENCE);
        assertThat(client.state().status()).isEqualTo(Status.DISCONNECTED);
        assertThat(client.state().reason()).isInstanceOf(NetioConnectException.class);
        assertThat(client.state().remoteAddress()).isNull();
        assertThat(client.states().next().block(PATIENCE)).isEqualTo(client.state());
    }

    @Test
    void shouldBeConnectedAsLongAsOneConnectionIs() {
        DisposableServer server = server().bindNow(PATIENCE);
        NetioClient client = client(server.port());
        NetioConnection first = client.connectNow(PATIENCE);
        NetioConnection second = client.connectNow(PATIENCE);
        first.disposeNow(PATIENCE);
        assertThat(client.state().isConnected()).isTrue();
        second.disposeNow(PATIENCE);
        Link.await(() -> !client.state().isConnected(), () -> client.state().toString());
        assertThat(client.state().reason()).hasMessageContaining("was closed here");
        server.dispose();
    }

    @Test
    void shouldNotMixTheStatesOfClientsMadeOfOneAnother() {
        DisposableServer server = server().bindNow(PATIENCE);
        NetioClient one = client(server.port());
        NetioClient other = one.framing(Framing.stream().maxStreams(10));
        NetioConnection connection = one.connectNow(PATIENCE);
        assertThat(one.state().isConnected()).isTrue();
        assertThat(other.state().status()).isEqualTo(Status.NEW);
        connection.dispose();
        server.dispose();
    }

    @Test
    void shouldFollowASubscriberThatReconnects() {
        NetioPublisher publisher = NetioPublisher.create().publish(7, Flux.just(ByteBuffer.allocate(8)).concatWith(Mono.never()));
        Queue<NetioConnection> accepted = new ConcurrentLinkedQueue<>();
        DisposableServer server = publisher.serve(server()).doOnConnection(accepted::add).bindNow(PATIENCE);
        AtomicReference<NetioSubscriber> itself = new AtomicReference<>();
        // its stream fails before the state changes; a connect between the two is no change of the state
        NetioSubscriber subscriber = NetioSubscriber.create(client(server.port())).reconnect(Retry.from(lost -> lost.concatMap(
                signal -> itself.get().states().filter(state -> state.status() == Status.DISCONNECTED).next())));
        itself.set(subscriber);
        subscriber.states().subscribe(seen::add);
        Disposable subscription = subscriber.subscribe(7).subscribe(message -> { }, error -> { });
        Link.await(() -> subscriber.state().isConnected() && accepted.size() == 1, () -> subscriber.state().toString());
        accepted.remove().dispose();
        Link.await(() -> accepted.size() == 1 && seen.size() >= 6, () -> accepted.size() + " " + seen);
        assertThat(statuses()).startsWith(Status.NEW, Status.CONNECTING, Status.CONNECTED, Status.DISCONNECTED, Status.CONNECTING,
                Status.CONNECTED);
        subscription.dispose();
        Link.await(() -> subscriber.state().status() == Status.DISCONNECTED, () -> subscriber.state().toString());
        server.dispose();
    }

    /** States are told in their order, also to who closes the connection when it hears of it. */
    @Test
    void shouldTellStatesInOrderToWhoeverActsOnThem() {
        DisposableServer server = server().bindNow(PATIENCE);
        NetioClient client = client(server.port());
        Queue<NetioConnection> made = new ConcurrentLinkedQueue<>();
        client.doOnConnected(made::add);
        client.states().subscribe(state -> {
            seen.add(state);
            if (state.isConnected() && seen.size() < 30) {
                client.connect().subscribe(made::add, error -> { });
                made.forEach(NetioConnection::dispose);
            }
        });
        client.connect().subscribe(made::add, error -> { });
        Link.await(() -> {
            made.forEach(NetioConnection::dispose);
            return client.state().status() == Status.DISCONNECTED && seen.size() > 3;
        }, () -> seen.toString());
        server.dispose();
    }
}
