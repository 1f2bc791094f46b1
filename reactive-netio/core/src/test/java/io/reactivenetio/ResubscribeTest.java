// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.connection.StreamUnderTest.subscribe;
import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioStream;
import io.reactivenetio.connection.StreamUnderTest;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** A cancelled stream lets go of its tag at once, and what is still said of it is not for the next one. */
@Timeout(180)
class ResubscribeTest extends TwoEnds {
    private static final int TAG = 7;
    private static final int TIMES = 100;

    private void connect(BackendType backend) {
        connect(backend, s -> s, c -> c);
    }

    /** Sends 0, 1, 2, … to each subscription anew. */
    private void sendToEachSubscription() {
        server.stream(TAG).send(Flux.range(0, Integer.MAX_VALUE).map(n -> ByteBuffer.allocate(4).putInt(0, n))).retry()
                .subscribe(nothing -> { }, error -> { });
    }

    private Flux<Integer> receive() {
        return client.stream(TAG).receive().map(message -> message.getInt(0));
    }

    private static List<Integer> threeEach(int times) {
        return IntStream.range(0, 3 * times).map(n -> n % 3).boxed().toList();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldSubscribeAgainToATagWhoseStreamWasCancelled(BackendType backend) {
        connect(backend);
        sendToEachSubscription();
        assertThat(receive().take(3).repeat(TIMES - 1).collectList().block(PATIENCE)).isEqualTo(threeEach(TIMES));
        assertThat(Flux.concat(receive().take(3), receive().take(3)).collectList().block(PATIENCE)).isEqualTo(threeEach(2));
        AtomicInteger failing = new AtomicInteger(TIMES);
        assertThat(receive().doOnNext(n -> {
            if (n == 2 && failing.getAndDecrement() > 0) {
                throw new IllegalStateException("of a test");
            }
        }).retry().take(2 * TIMES + 3).collectList().block(PATIENCE)).startsWith(0, 1, 0, 1).endsWith(0, 1, 2);
    }

    /** More was asked for than is taken, and on other threads: much is under way at each cancel. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldKeepTheMessagesOfAStreamFromTheNextOne(BackendType backend) {
        connect(backend);
        sendToEachSubscription();
        assertThat(receive().publishOn(Schedulers.parallel(), 64).takeUntil(n -> n == 2).repeat(TIMES - 1).collectList()
                .block(PATIENCE)).isEqualTo(threeEach(TIMES));
    }

    @Test
    void shouldServeASubscriptionThatComesWithTheCancelOfTheOneBefore() {
        try (StreamUnderTest world = new StreamUnderTest(8, 100)) {
            List<Throwable> ends = new ArrayList<>();
            SimulatedConnections.of(world.engine()).stream(TAG).send(Flux.just(ByteBuffer.allocate(5)).concatWith(Flux.never()))
                    .doOnError(ends::add).retry().subscribe();
            world.receive(0, 0, page -> subscribe(page, 1, TAG, 10));
            assertThat(world.sent()).containsExactly("DATA 1 5");
            world.receive(0, 0, page -> {
                page.cancel(1);
                subscribe(page, 2, TAG, 10);
            });
            assertThat(world.sent()).containsExactly("ERROR 1 1 cancelled", "PING 1");
            world.receive(0, 0, page -> page.pong(1)); // says that all before it has arrived
            assertThat(world.sent()).containsExactly("DATA 2 5");
            assertThat(ends).hasSize(1);
            assertThat(world.failures).isEmpty();
        }
    }

    /** The number of a message that is sent in parts, and its room at the peer, are the old stream's. */
    @Test
    void shouldBeginAnewAfterACancelWithinAMessage() {
        try (StreamUnderTest world = new StreamUnderTest(1, 100)) {
            SimulatedConnections.of(world.engine()).stream(TAG).send(Flux.just(ByteBuffer.allocate(9_000))).retry().subscribe();
            world.receive(0, 0, page -> subscribe(page, 1, TAG, 1));
            assertThat(world.sent()).singleElement().asString().startsWith("DATA 1 ");
            world.receive(1, 0, page -> {
                page.cancel(1);
                subscribe(page, 2, TAG, 1);
            });
            assertThat(world.sent()).containsExactly("ERROR 1 1 cancelled", "PING 1");
            world.receive(0, 0, page -> page.pong(1));
            assertThat(world.sent()).singleElement().asString().startsWith("DATA 2 ");
        }
    }

    /** Its end is on its way, or waits for a credit, when the peer cancels and subscribes again. */
    @Test
    void shouldServeASubscriptionAfterACancelThatCrossesTheEnd() {
        try (StreamUnderTest world = new StreamUnderTest(8, 100)) {
            NetioStream stream = SimulatedConnections.of(world.engine()).stream(TAG);
            for (int i = 1; i <= StreamUnderTest.CONTROLS; i++) { // until no control credit is left
                int value = i;
                world.receive(0, 0, page -> page.ping(value));
            }
            world.sent();
            world.complete();
            stream.completeOutbound().subscribe();
            world.receive(0, 0, page -> subscribe(page, 1, TAG, 10));
            stream.send(Flux.just(ByteBuffer.allocate(5))).subscribe(nothing -> { }, error -> { });
            world.receive(0, 3, page -> {
                page.cancel(1);
                subscribe(page, 2, TAG, 10);
            });
            stream.send(Flux.just(ByteBuffer.allocate(6))).subscribe();
            world.turn();
            assertThat(world.sent()).contains("COMPLETE 1 0", "DATA 2 6").noneMatch(frame -> frame.startsWith("ERROR"));
        }
    }

    /** The peer has to have said the end of one before there can be another. */
    @Test
    void shouldWaitForTheEndOfACancelledStreamWhereThePeerAllowsNoMore() {
        try (StreamUnderTest world = new StreamUnderTest(8, 1)) {
            NetioConnection connection = SimulatedConnections.of(world.engine());
            CompletableFuture<List<ByteBuffer>> received = connection.stream(TAG).receive().take(1).repeat(1).collectList()
                    .toFuture();
            world.turn();
            assertThat(world.sent()).containsExactly("SUBSCRIBE 1", "REQUEST 1 1");
            world.receive(0, 0, page -> page.message(1, ByteBuffer.allocate(3)));
            assertThat(world.sent()).containsExactly("CANCEL 1");
            CompletableFuture<Void> tooMany = connection.stream(TAG + 1).receive().then().toFuture();
            world.turn();
            assertThat(tooMany).isCompletedExceptionally();
            world.receive(0, world.controlsOut(), page -> page.error(1, 1, "cancelled"));
            assertThat(world.sent()).containsExactly("SUBSCRIBE 1", "REQUEST 1 1");
            world.receive(0, 0, page -> page.message(1, ByteBuffer.allocate(3)));
            assertThat(received.join()).hasSize(2);
            assertThat(world.failures).isEmpty();
        }
    }

    @Test
    void shouldForgetAStreamThatIsCancelledBeforeThereIsANumberForIt() {
        try (StreamUnderTest world = new StreamUnderTest(8, 1)) {
            NetioConnection connection = SimulatedConnections.of(world.engine());
            connection.stream(TAG).receive().subscribe().dispose();
            world.turn();
            assertThat(world.sent()).isEmpty();
            Disposable open = connection.stream(TAG).receive().subscribe();
            world.turn();
            open.dispose();
            connection.stream(TAG).receive().subscribe().dispose();
            CompletableFuture<Void> waiting = connection.stream(TAG).receive().then().toFuture();
            world.turn();
            assertThat(world.sent()).hasSize(3).last().isEqualTo("CANCEL 1");
            world.end();
            assertThat(waiting).isCompletedExceptionally();
        }
    }
}
