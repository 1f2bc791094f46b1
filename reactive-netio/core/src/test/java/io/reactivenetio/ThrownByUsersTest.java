// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.ConnectionObserver;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.MetricsRecorder;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.api.NetioPropagator;
import io.reactivenetio.api.NetioStream;
import io.reactivenetio.api.RequestOutcome;
import io.reactivenetio.api.RequestSide;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.api.TypedRequester;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.StreamError;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.util.context.Context;
import reactor.util.context.ContextView;
import reactor.util.retry.Retry;

/**
 * Whatever a user's code throws, and wherever it is called, ends what it belongs to, which both sides are told, and nothing else:
 * requests, streams and the connection go on.
 */
@Timeout(180)
class ThrownByUsersTest extends TwoEnds {
    /** What users throw. */
    enum Thrown {
        RUNTIME(() -> new IllegalStateException("thrown by a test")),
        ASSERTION(() -> new AssertionError("thrown by a test")),
        CHECKED(() -> new IOException("thrown by a test")),
        LINKAGE(() -> new NoClassDefFoundError("thrown by a test")),
        STACK(() -> new StackOverflowError("thrown by a test")),
        MEMORY(() -> new OutOfMemoryError("thrown by a test")),
        WITHOUT_TEXT(Mute::new),
        THROWING_TEXT(ThrowingText::new),
        LONG_TEXT(() -> new IllegalStateException("thrown by a test".repeat(100_000)));

        private final Supplier<Throwable> made;

        Thrown(Supplier<Throwable> made) {
            this.made = made;
        }

        <T> T doThrow() {
            throw ThrownByUsersTest.<RuntimeException>sneaky(made.get());
        }

        /** What the peer is told of it. */
        String told() {
            return this == WITHOUT_TEXT ? "Mute" : this == THROWING_TEXT ? "ThrowingText" : "thrown by a test";
        }

        boolean isIt(Throwable error) {
            Throwable expected = made.get();
            return error.getClass() == expected.getClass() || error.getCause() != null
                    && error.getCause().getClass() == expected.getClass();
        }
    }

    static final class Mute extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        @SuppressWarnings("NullAway") // what the test is about
        public String toString() {
            return getMessage();
        }
    }

    static final class ThrowingText extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String toString() {
            throw new IllegalStateException("thrown by toString");
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> E sneaky(Throwable thrown) throws E {
        throw (E) thrown;
    }

    private static final long TAG = 7;
    private static final long OTHER = 99;

    private @Nullable NetioPublisher publisher;
    private final AtomicInteger others = new AtomicInteger();

    @BeforeEach
    void open() {
        connect(BackendType.TCP, s -> s, c -> c);
        server.respond(OTHER, Mono::just).subscribe();
        Flux.interval(Duration.ofMillis(1)).onBackpressureDrop().map(ThrownByUsersTest::number)
                .as(ticks -> server.stream(OTHER + 1).send(ticks)).subscribe(nothing -> { }, error -> { });
        client.stream(OTHER + 1).receive().subscribe(message -> others.incrementAndGet(), error -> others.set(-1_000_000));
    }

    /** Everything else goes on. */
    @AfterEach
    void shouldHaveGoneOn() {
        assertThat(client.isDisposed() || server.isDisposed()).as("the connection is gone").isFalse();
        assertThat(client.requester(OTHER).request(number(1)).block(PATIENCE)).isEqualTo(number(1));
        int before = others.get();
        assertThat(before).isNotNegative();
        Eventually.await("the other stream goes on", () -> others.get() > before);
        if (publisher != null) {
            publisher.dispose();
        }
    }

    private static ByteBuffer number(long n) {
        return ByteBuffer.allocate(Long.BYTES).putLong(0, n);
    }

    /** Throws at the value 3. */
    private static NetioEncoder<Long> encoder(Thrown thrown) {
        return new NetioEncoder<>() {
            @Override
            public int size(Long value) {
                return Long.BYTES;
            }

            @Override
            public void encode(Long value, ByteBuffer target) {
                target.putLong(value == 3 ? thrown.<Long>doThrow() : value);
            }
        };
    }

    private static void failed(Thrown thrown, Throwable error) {
        assertThat(error).isInstanceOf(NetioStreamException.class).hasMessageContaining(thrown.told());
        assertThat(((NetioStreamException) error).error()).isEqualTo(StreamError.SOURCE_FAILED);
        assertThat(error.getMessage()).hasSizeLessThan(3_000);
    }

    private void publish(Function<NetioPublisher, NetioPublisher> what) {
        NetioPublisher made = what.apply(NetioPublisher.create());
        publisher = made;
        Mono.fromRunnable(() -> made.serve(server)).subscribeOn(server.scheduler()).block(PATIENCE);
    }

    private static Flux<Long> elsewhere() {
        return Flux.interval(Duration.ofMillis(1)).onBackpressureBuffer();
    }

    // ---- publishers

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldFailTheSourceOfAnEncoder(Thrown thrown) {
        publish(p -> p.publish(TAG, elsewhere(), encoder(thrown)).publish(TAG + 1, Flux.range(0, 10).map(i -> (long) i),
                encoder(thrown)).publishEach(Tags.of(TAG + 2), tag -> elsewhere(), encoder(thrown))
                .publish(Tags.of(TAG + 3), elsewhere(), value -> value == 3 ? thrown.<Long>doThrow() : TAG + 3, encoder(thrown)));
        for (long tag = TAG; tag <= TAG + 3; tag++) {
            StepVerifier.create(client.stream(tag).receive().timeout(PATIENCE)).thenConsumeWhile(message -> true)
                    .expectErrorSatisfies(error -> failed(thrown, error)).verify(PATIENCE);
        }
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldFailASourceThatFailsOrThrows(Thrown thrown) {
        publish(p -> p.publish(TAG, Flux.<ByteBuffer>error(thrown.made).delaySubscription(Duration.ofMillis(1)))
                .publish(TAG + 1, subscriber -> thrown.<Object>doThrow())
                .publishEach(Tags.of(TAG + 2), tag -> thrown.<Flux<ByteBuffer>>doThrow())
                .publishEach(Tags.of(TAG + 3), tag -> subscriber -> thrown.<Object>doThrow())
                .publish(Tags.of(TAG + 4), Flux.<TaggedMessage>error(thrown.made).delaySubscription(Duration.ofMillis(1)))
                .publish(Tags.of(TAG + 5), subscriber -> thrown.<Object>doThrow()));
        for (long tag = TAG; tag <= TAG + 5; tag++) {
            StepVerifier.create(client.stream(tag).receive()).expectErrorSatisfies(error -> failed(thrown, error))
                    .verify(PATIENCE);
        }
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldGoOnAfterConsumersOfSubscribers(Thrown thrown) {
        NetioPublisher dropping = NetioPublisher.create(SlowPolicy.DROP_OLDEST, 1).publish(TAG,
                Flux.interval(Duration.ofNanos(20_000)).onBackpressureDrop().map(ThrownByUsersTest::number));
        DisposableServer listening = NetioServer.create().backend(BackendType.TCP).runOn(loops).doOnConnection(dropping::serve)
                .bindNow(PATIENCE);
        AtomicInteger called = new AtomicInteger();
        NetioSubscriber subscriber = NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).runOn(loops)
                .port(listening.port())).doOnMissed(Duration.ofMillis(1), missed -> {
                    if (called.incrementAndGet() % 1_000_000 <= 10) { // each is logged with all of its text
                        thrown.doThrow();
                    }
                });
        assertThat(subscriber.subscribeSequenced(Tags.of(TAG), start -> {
            called.addAndGet(1_000_000);
            thrown.doThrow();
        }).limitRate(1).take(300).count().block(PATIENCE)).isEqualTo(300);
        assertThat(called.get()).as("told of the start and of what was missed").isGreaterThan(1_000_000);
        dropping.dispose();
        listening.disposeNow(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldFailASubscriptionWhosePredicateThrows(Thrown thrown) {
        NetioSubscriber subscriber = NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).runOn(loops).port(1))
                .reconnect(Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(1)), failure -> thrown.<Boolean>doThrow());
        StepVerifier.create(subscriber.subscribe(TAG)).expectErrorMatches(thrown::isIt).verify(PATIENCE);
    }

    // ---- requests

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldFailTheRequestOfAResponder(Thrown thrown) {
        server.respond(TAG, request -> switch ((int) request.getLong(0)) {
            case 1 -> thrown.doThrow();
            case 2 -> Mono.error(thrown.made);
            case 3 -> Mono.<ByteBuffer>error(thrown.made).delaySubscription(Duration.ofMillis(1));
            case 4 -> Mono.fromDirect(subscriber -> thrown.doThrow());
            case 5 -> Mono.fromCallable(thrown::doThrow);
            default -> Mono.just(request);
        }).subscribe();
        for (int n = 1; n <= 5; n++) {
            StepVerifier.create(client.requester(TAG).request(number(n))).expectErrorSatisfies(error -> failed(thrown, error))
                    .verify(PATIENCE);
        }
        assertThat(client.requester(TAG).request(number(6)).block(PATIENCE)).isEqualTo(number(6));
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldFailTheRequestOfACodec(Thrown thrown) {
        Function<ByteBuffer, Long> decoder = message -> message.getLong(0) == 2 ? thrown.<Long>doThrow() : message.getLong(0);
        server.respond(TAG, decoder, encoder(thrown), (Long value) -> Mono.just(value).delayElement(Duration.ofMillis(1)))
                .subscribe();
        NetioEncoder<Long> good = new NetioEncoder<>() {
            @Override
            public int size(Long value) {
                return value == 5 ? thrown.<Integer>doThrow() : Long.BYTES;
            }

            @Override
            public void encode(Long value, ByteBuffer target) {
                target.putLong(value);
            }
        };
        TypedRequester<Long, Long> typed = client.requester(TAG, good, message -> message.getLong(0) == 4
                ? thrown.<Long>doThrow() : message.getLong(0));
        StepVerifier.create(typed.request(2L)).expectErrorSatisfies(error -> failed(thrown, error)).verify(PATIENCE);
        StepVerifier.create(typed.request(3L)).expectErrorSatisfies(error -> failed(thrown, error)).verify(PATIENCE);
        StepVerifier.create(typed.request(4L)).expectErrorMatches(thrown::isIt).verify(PATIENCE);
        StepVerifier.create(typed.request(5L)).expectErrorMatches(thrown::isIt).verify(PATIENCE);
        assertThat(typed.request(6L).block(PATIENCE)).isEqualTo(6L);
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldAnswerTheOthersWhenASubscriberThrows(Thrown thrown) {
        server.respond(TAG, request -> Mono.just(request).delayElement(Duration.ofMillis(20))).subscribe();
        CompletableFuture<ByteBuffer> other = client.requester(TAG).request(number(1)).toFuture();
        client.requester(TAG).request(number(2)).subscribe(answer -> thrown.doThrow(), error -> thrown.doThrow());
        client.requester(TAG).request(number(3)).map(answer -> thrown.doThrow()).subscribe(answer -> { }, error -> { });
        CompletableFuture<ByteBuffer> last = client.requester(TAG).request(number(4)).toFuture();
        assertThat(other.orTimeout(20, TimeUnit.SECONDS).join()).isEqualTo(number(1));
        assertThat(last.orTimeout(20, TimeUnit.SECONDS).join()).isEqualTo(number(4));
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldFailTheRequestOfAPropagator(Thrown thrown) {
        NetioPropagator propagator = new NetioPropagator() {
            @Override
            public void write(ContextView context, BiConsumer<String, String> headers) {
                if (context.hasKey("write")) {
                    thrown.doThrow();
                }
                headers.accept("read", context.getOrDefault("read", "no"));
            }

            @Override
            @SuppressWarnings("NullAway") // what the test is about
            public Context read(Map<String, String> headers, Context context) {
                return switch (headers.getOrDefault("read", "no")) {
                    case "null" -> null;
                    case "no", "around" -> context;
                    default -> thrown.doThrow();
                };
            }

            @Override
            public Mono<ByteBuffer> aroundRespond(NetioConnection connection, long tag, Map<String, String> headers,
                    Mono<ByteBuffer> answer) {
                return "around".equals(headers.get("read")) ? thrown.doThrow() : answer;
            }
        };
        Connected pair = connected(loops, BackendType.TCP, s -> s.propagation(propagator), c -> c.propagation(propagator));
        pair.server().respond(TAG, Mono::just).subscribe();
        Mono<ByteBuffer> request = pair.client().requester(TAG).request(number(1));
        StepVerifier.create(request.contextWrite(Context.of("write", "yes"))).expectErrorMatches(thrown::isIt).verify(PATIENCE);
        StepVerifier.create(request.contextWrite(Context.of("read", "yes"))).expectErrorSatisfies(error ->
                failed(thrown, error)).verify(PATIENCE);
        StepVerifier.create(request.contextWrite(Context.of("read", "around"))).expectErrorSatisfies(error ->
                failed(thrown, error)).verify(PATIENCE);
        StepVerifier.create(request.contextWrite(Context.of("read", "null"))).expectErrorSatisfies(error ->
                assertThat(error).hasMessageContaining("has returned no Context")).verify(PATIENCE);
        StepVerifier.create(request).expectNextCount(1).expectComplete().verify(PATIENCE);
        pair.client().dispose();
    }

    // ---- streams

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldFailTheStreamOfADecoder(Thrown thrown) {
        for (Function<NetioStream, Flux<?>> way : List.<Function<NetioStream, Flux<?>>>of(
                stream -> stream.receive(message -> thrown.doThrow()),
                stream -> stream.receiveTagged((tag, status, message) -> thrown.doThrow()),
                stream -> stream.receive().map(message -> thrown.doThrow()),
                stream -> stream.receiveLeased().map(lease -> {
                    lease.release();
                    return thrown.doThrow();
                }))) {
            Mono<Void> sent = server.stream(TAG).send(Flux.interval(Duration.ofMillis(1)).onBackpressureDrop()
                    .map(ThrownByUsersTest::number)).cache();
            sent.subscribe(nothing -> { }, error -> { });
            StepVerifier.create(way.apply(client.stream(TAG))).expectErrorMatches(thrown::isIt).verify(PATIENCE);
            StepVerifier.create(sent).expectErrorSatisfies(error -> assertThat(error).isInstanceOf(NetioAbortedException.class)
                    .hasMessageContaining("the peer wants no more")).verify(PATIENCE);
        }
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldCancelTheStreamOfASubscriberThatThrows(Thrown thrown) {
        Mono<Void> sent = server.stream(TAG).send(Flux.interval(Duration.ofMillis(1)).onBackpressureDrop()
                .map(ThrownByUsersTest::number)).cache();
        sent.subscribe(nothing -> { }, error -> { });
        server.stream(TAG).send(Flux.never()).subscribe(nothing -> { }, error -> thrown.doThrow());
        client.stream(TAG).receive().subscribe(message -> thrown.doThrow(), error -> thrown.doThrow());
        StepVerifier.create(sent).expectErrorSatisfies(error -> assertThat(error).isInstanceOf(NetioAbortedException.class)
                .hasMessageContaining("the peer wants no more")).verify(PATIENCE);
        Mono<Void> complete = server.stream(TAG + 1).send(Flux.just(number(1))).then(server.stream(TAG + 1).completeOutbound());
        CompletableFuture<String> delivered = new CompletableFuture<>();
        complete.subscribe(nothing -> { }, error -> { }, () -> {
            delivered.complete("told");
            thrown.doThrow();
        });
        client.stream(TAG + 1).receive().subscribe(message -> { }, error -> { }, thrown::doThrow);
        assertThat(delivered.orTimeout(20, TimeUnit.SECONDS).join()).isEqualTo("told");
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldFailTheSendOfAnEncoder(Thrown thrown) {
        client.stream(TAG).receive().subscribe();
        for (Flux<Long> source : List.of(elsewhere(), Flux.range(0, 10).map(i -> (long) i))) {
            StepVerifier.create(server.stream(TAG).send(source, encoder(thrown))).expectErrorMatches(thrown::isIt)
                    .verify(PATIENCE);
        }
    }

    // ---- connections

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldTellThePeerOfAHandlerThatThrows(Thrown thrown) {
        DisposableServer listening = NetioServer.create().backend(BackendType.TCP).runOn(loops)
                .handle((in, out) -> thrown.doThrow()).bindNow(PATIENCE);
        NetioConnection connection = NetioClient.create().backend(BackendType.TCP).runOn(loops).port(listening.port())
                .connectNow();
        StepVerifier.create(connection.receive()).expectErrorSatisfies(error -> failed(thrown, error)).verify(PATIENCE);
        connection.onDispose().block(PATIENCE);
        listening.disposeNow(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldEndOnlyWhatAHookBelongsTo(Thrown thrown) {
        CompletableFuture<String> unbound = new CompletableFuture<>();
        DisposableServer listening = NetioServer.create().backend(BackendType.TCP).runOn(loops)
                .doOnUnbound(server -> {
                    unbound.complete("told");
                    thrown.doThrow();
                }).observe((connection, state) -> {
                    if (state == ConnectionObserver.State.DISCONNECTED) {
                        thrown.doThrow();
                    }
                }).metrics(new MetricsRecorder() {
                    @Override
                    public void opened(NetioConnection connection) {
                    }

                    @Override
                    public void closed(NetioConnection connection) {
                        thrown.doThrow();
                    }

                    @Override
                    public void requestBegun(NetioConnection connection, RequestSide side) {
                        thrown.doThrow();
                    }

                    @Override
                    public void requestEnded(NetioConnection connection, RequestSide side, RequestOutcome outcome, long nanos) {
                        thrown.doThrow();
                    }
                }).doOnConnection(connection -> connection.respond(TAG, Mono::just).subscribe()).bindNow(PATIENCE);
        NetioClient good = NetioClient.create().backend(BackendType.TCP).runOn(loops).port(listening.port());
        NetioConnection connection = good.doOnDisconnected(gone -> thrown.doThrow()).connectNow();
        assertThat(connection.requester(TAG).request(number(1)).block(PATIENCE)).isEqualTo(number(1));
        connection.disposeNow(PATIENCE);
        StepVerifier.create(good.doOnConnected(opened -> thrown.doThrow()).connect()).expectErrorMatches(thrown::isIt)
                .verify(PATIENCE);
        StepVerifier.create(NetioServer.create().backend(BackendType.TCP).runOn(loops)
                .doOnBound(server -> thrown.doThrow()).bind()).expectErrorMatches(thrown::isIt).verify(PATIENCE);
        DisposableServer bad = NetioServer.create().backend(BackendType.TCP).runOn(loops)
                .doOnConnection(opened -> thrown.doThrow()).bindNow(PATIENCE);
        NetioConnection refused = good.port(bad.port()).connectNow();
        refused.onDispose().block(PATIENCE);
        bad.disposeNow(PATIENCE);
        listening.disposeNow(PATIENCE);
        assertThat(unbound.join()).isEqualTo("told");
        assertThatThrownBy(() -> good.connectNow()).isInstanceOf(RuntimeException.class); // nobody listens
    }
}
