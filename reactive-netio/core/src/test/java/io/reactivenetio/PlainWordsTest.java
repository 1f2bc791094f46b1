// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.diagnostics.SaidOnce;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.test.StepVerifier;
import reactor.util.retry.Retry;

/** Frequent mistakes are told by their names. */
@Timeout(120)
class PlainWordsTest {
    private final NetioLoops loops = NetioLoops.create("words", 2);

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private NetioServer server() {
        return NetioServer.create().backend(BackendType.TCP).runOn(loops);
    }

    private NetioClient client(DisposableServer server) {
        return NetioClient.create().backend(BackendType.TCP).runOn(loops).port(server.port());
    }

    @Test
    void shouldSayThatItWasTheHandlerThatEnded() {
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        DisposableServer server = server().handle((in, out) -> {
            in.receive().subscribe(message -> { }, end::complete);
            return out.send(Mono.just(ByteBuffer.allocate(8))); // and that is all of the handler
        }).bindNow(PATIENCE);
        NetioConnection connection = client(server).connectNow(PATIENCE);
        connection.receive().subscribe(message -> { }, error -> { });
        assertThat(end.orTimeout(30, TimeUnit.SECONDS).join()).isInstanceOf(NetioAbortedException.class)
                .hasMessageContaining("was closed here, as its handler had completed, before the end of the stream");
        server.dispose();
    }

    @ParameterizedTest
    @CsvSource({"TCP, RAW", "TCP, PAGE", "LIBFABRIC, RAW", "LIBFABRIC, PAGE"})
    void shouldTellAClientThatTheServerUsesStreamFraming(BackendType backend, FramingKind framing) {
        DisposableServer server = server().backend(backend).provider(TestSettings.PROVIDER).host(TestSettings.ADDRESS)
                .bindNow(PATIENCE);
        StepVerifier.create(client(server).backend(backend).provider(TestSettings.PROVIDER).host(TestSettings.ADDRESS)
                        .framing(framing.framing()).connect().flatMapMany(NetioConnection::receive))
                .expectErrorSatisfies(error -> assertThat(error).isInstanceOf(NetioProtocolException.class)
                        .hasMessageContaining("uses STREAM framing").hasMessageContaining("configure framing(Framing.stream())"))
                .verify(PATIENCE);
        server.dispose();
    }

    /** A name that a literal address has none of is not shown as unresolved. */
    @Test
    void shouldShowTheAddressAsItIs() {
        DisposableServer server = server().bindNow(PATIENCE);
        NetioConnection connection = client(server).host("127.0.0.1").connectNow(PATIENCE);
        assertThat(connection.remoteAddress()).hasToString("/127.0.0.1:" + server.port());
        assertThat(connection).hasToString("connection with 127.0.0.1:" + server.port());
        server.dispose();
    }

    @Test
    void shouldWarnOnceOfABufferThatWasNotFlippedAndOfASendWithoutSubscriber() {
        DisposableServer server = server().handle((in, out) -> in.receive().then()).bindNow(PATIENCE);
        NetioConnection connection = client(server).connectNow(PATIENCE);
        SaidOnce.beginAnew();
        try (Warnings warnings = new Warnings()) {
            connection.send(Flux.range(0, 10).map(i -> ByteBuffer.allocate(8).putLong(i))).block(PATIENCE);
            Link.await(() -> warnings.text().contains("flip() the buffer after writing"), warnings::text);
            Link.await(() -> {
                for (int i = 0; i < 3; i++) {
                    forget(connection);
                }
                System.gc();
                return warnings.text().contains("nothing was sent"); // what is said after a second is less
            }, warnings::text);
            assertThat(warnings.text()).contains("PlainWordsTest.forget(PlainWordsTest.java:");
            assertThat(warnings.text().split("flip\\(\\)", -1)).hasSize(2);
            assertThat(warnings.text().split("nothing was sent", -1)).hasSize(2);
        }
        server.dispose();
    }

    /** Without a collection of garbage, which may be long in coming. */
    @Test
    void shouldSaySoonThatASendHasNoSubscriberYet() {
        DisposableServer server = server().handle((in, out) -> in.receive().then()).bindNow(PATIENCE);
        NetioConnection connection = client(server).connectNow(PATIENCE);
        SaidOnce.beginAnew();
        try (Warnings warnings = new Warnings()) {
            Mono<Void> kept = connection.send(Mono.just(ByteBuffer.allocate(8)));
            Mono<Void> another = connection.send(Mono.just(ByteBuffer.allocate(8)));
            Link.await(() -> warnings.text().contains("nobody has subscribed to its Mono for 1 s"), warnings::text);
            assertThat(warnings.text()).contains("PlainWordsTest.shouldSaySoonThatASendHasNoSubscriberYet(PlainWordsTest.java:")
                    .doesNotContain("nothing was sent");
            assertThat(warnings.text().split("nobody has subscribed", -1)).hasSize(2);
            kept.then(another).block(PATIENCE);
        }
        server.dispose();
    }

    /** It is how a stream ends that has no end of its own. */
    @Test
    void shouldNotWarnOfAPeerThatTakesSomeMessagesOnly() {
        CompletableFuture<SignalType> end = new CompletableFuture<>();
        DisposableServer server = server().handle((in, out) -> out.send(Flux.range(0, Integer.MAX_VALUE)
                .map(i -> ByteBuffer.allocate(8))).doFinally(end::complete)).bindNow(PATIENCE);
        try (Warnings warnings = new Warnings()) {
            NetioConnection connection = client(server).connectNow(PATIENCE);
            connection.receive().take(3).blockLast(PATIENCE);
            assertThat(end.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join()).isEqualTo(SignalType.ON_ERROR);
            connection.onDispose().block(PATIENCE); // the handler has ended
            assertThat(warnings.text()).doesNotContain("wants no more");
        }
        server.dispose();
    }

    @Test
    void shouldSayOnceThatASubscriptionIsTriedAgainAndThatItIsBack() {
        NetioPublisher publisher = NetioPublisher.create().publish(7, Flux.interval(Duration.ofMillis(10))
                .onBackpressureDrop().map(i -> ByteBuffer.allocate(8)));
        DisposableServer server = publisher.serve(server()).bindNow(PATIENCE);
        AtomicInteger got = new AtomicInteger();
        try (Warnings warnings = new Warnings()) {
            AtomicInteger retries = new AtomicInteger();
            Disposable subscription = NetioSubscriber.create(client(server)).reconnect(Retry.fixedDelay(Long.MAX_VALUE,
                    Duration.ofMillis(20)).doBeforeRetry(signal -> retries.incrementAndGet()))
                    .subscribe(7).subscribe(message -> got.incrementAndGet());
            Link.await(() -> got.get() > 0, warnings::text);
            server.disposeNow(PATIENCE);
            Link.await(() -> retries.get() > 3, warnings::text);
            assertThat(warnings.text().split("has failed, and is tried again", -1)).hasSize(2);
            assertThat(warnings.text()).contains("the peer shuts down").doesNotContain("is back");
            DisposableServer next = publisher.serve(server().port(server.port())).bindNow(PATIENCE);
            Link.await(() -> warnings.text().contains("is back"), warnings::text);
            assertThat(warnings.text().split("has failed, and is tried again", -1)).hasSize(2);
            subscription.dispose();
            next.disposeNow(PATIENCE);
        }
        publisher.dispose();
    }

    /** A connection that nobody completes has an end that is never sent, which is no mistake of the user's. */
    @ParameterizedTest
    @EnumSource(value = FramingKind.class, names = {"RAW", "PAGE"})
    void shouldNotWarnOfTheEndThatAConnectionNeverSent(FramingKind framing) throws InterruptedException {
        DisposableServer server = server().framing(framing.framing(EndSignal.EMPTY_MESSAGE))
                .handle((in, out) -> in.receive().then()).bindNow(PATIENCE);
        SaidOnce.beginAnew();
        try (Warnings warnings = new Warnings()) {
            for (int i = 0; i < 10; i++) {
                NetioConnection connection = client(server).framing(framing.framing(EndSignal.EMPTY_MESSAGE))
                        .connectNow(PATIENCE);
                connection.send(Mono.just(ByteBuffer.allocate(8))).block(PATIENCE); // looks for what was forgotten before
                connection.dispose();
                connection.onDispose().block(PATIENCE);
                awaitCollector();
            }
            assertThat(warnings.text()).doesNotContain("nobody has subscribed");
        }
        server.dispose();
    }

    /** Returns when the references of what nobody has any more are queued. */
    private static void awaitCollector() throws InterruptedException {
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        Reference<Object> gone = new PhantomReference<>(new Object(), queue);
        System.gc();
        assertThat(queue.remove(PATIENCE.toMillis())).isSameAs(gone);
    }

    @SuppressWarnings("CheckReturnValue") // that is the mistake
    private static void forget(NetioConnection connection) {
        connection.send(Mono.just(ByteBuffer.allocate(8)));
    }

    /** The loop is told of while it stands still, with what it stands in. */
    @Test
    void shouldTellOfASlowTurnWhileItLasts() {
        DisposableServer server = server().handle((in, out) -> out.send(Flux.interval(Duration.ofMillis(100))
                .onBackpressureDrop().map(i -> ByteBuffer.allocate(8)))).bindNow(PATIENCE);
        NetioConnection connection = client(server).connectNow(PATIENCE);
        try (Warnings warnings = new Warnings()) {
            CompletableFuture<Void> toldMeanwhile = new CompletableFuture<>();
            // a turn is told of once: on a busy machine before it gets here, and then a later one has to do
            connection.receive().map(PlainWordsTest::identity).doOnNext(message -> {
                if (!toldMeanwhile.isDone() && busyUntil(() -> warnings.text().contains("busyUntil(PlainWordsTest.java:"))) {
                    toldMeanwhile.complete(null);
                }
            }).subscribe(message -> { }, error -> { });
            toldMeanwhile.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
            assertThat(warnings.text()).contains("has been in one turn for").contains("delivering messages to ");
            Link.await(() -> warnings.text().contains("in the end"), warnings::text);
        }
        server.dispose();
    }

    private static ByteBuffer identity(ByteBuffer message) {
        return message;
    }

    /** Without waiting, as what sleeps on a loop is found by the tests that watch over that. */
    private static boolean busyUntil(java.util.function.BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofSeconds(5).toNanos();
        boolean holds = false;
        while (!holds && System.nanoTime() - end < 0) {
            Math.sin(end);
            holds = condition.getAsBoolean();
        }
        return holds;
    }
}
