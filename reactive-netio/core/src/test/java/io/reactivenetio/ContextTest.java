// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.Lease;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioInbound;
import io.reactivenetio.api.NetioPropagator;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.SendCompletion;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.util.context.Context;
import reactor.util.retry.Retry;

/** The Context that a subscriber writes is there for everything upstream that is a user's. */
@Timeout(180)
class ContextTest extends TwoEnds {
    private static final String KEY = "who";
    /** Reactor's key for a hook that is told of errors in operators. */
    private static final String ON_OPERATOR_ERROR = "reactor.onOperatorError.local";

    private final Queue<String> seen = new ConcurrentLinkedQueue<>();
    private final NetioRegion region = NetioRegion.allocate(4096);

    @AfterEach
    void close() {
        region.close();
    }

    private static ByteBuffer message() {
        return ByteBuffer.allocate(8);
    }

    private void see(Object context) {
        seen.add(String.valueOf(context));
    }

    /** {@code elements} with an operator upstream that says who is in the Context. */
    private <T> Flux<T> telling(Flux<T> elements) {
        return Flux.deferContextual(context -> {
            see(context.getOrDefault(KEY, "nobody"));
            return elements;
        });
    }

    private void assertSeen(String... names) {
        assertThat(seen).containsExactly(names);
        seen.clear();
    }

    private void connect(FramingKind framing) {
        connect(BackendType.TCP, s -> s.framing(framing.framing()), c -> c.framing(framing == FramingKind.RAW
                ? Framing.raw().region(region) : framing.framing()));
        server.receive().subscribe(element -> { }, error -> { });
    }

    @ParameterizedTest
    @EnumSource(FramingKind.class)
    void shouldBeSeenByTheSourceOfASend(FramingKind framing) {
        connect(framing);
        for (SendCompletion completion : SendCompletion.values()) {
            client.completion(completion).send(telling(Flux.just(message()))).contextWrite(Context.of(KEY, "send"))
                    .block(PATIENCE);
            assertSeen("send");
        }
        client.send(telling(Flux.just(message()))).contextWrite(Context.of(KEY, "plain send")).block(PATIENCE);
        assertSeen("plain send");
        if (framing == FramingKind.RAW) {
            client.sendRegion(telling(Flux.just(region.slice(0, 8)))).contextWrite(Context.of(KEY, "region")).block(PATIENCE);
            assertSeen("region");
        } else {
            client.sendTagged(telling(Flux.just(TaggedMessage.of(7, message())))).contextWrite(Context.of(KEY, "tagged"))
                    .block(PATIENCE);
            assertSeen("tagged");
        }
    }

    @Test
    void shouldBeSeenByTheSourceOfASendOnAStream() {
        connect(FramingKind.STREAM);
        server.stream(5).receive().subscribe(element -> { }, error -> { });
        client.stream(5).send(telling(Flux.just(message()))).contextWrite(Context.of(KEY, "stream")).block(PATIENCE);
        client.stream(5).sendTagged(telling(Flux.just(TaggedMessage.of(7, message())))).contextWrite(Context.of(KEY, "tagged"))
                .block(PATIENCE);
        assertSeen("stream", "tagged");
    }

    @Test
    void shouldBeSeenByACompositionOfSends() {
        connect(FramingKind.STREAM);
        Publisher<ByteBuffer> one = telling(Flux.just(message()));
        client.send(one).then(client.send(Flux.concat(one, one))).contextWrite(Context.of(KEY, "both")).block(PATIENCE);
        assertSeen("both", "both", "both");
    }

    /** A decoder's error comes to the hook in the Context, which Reactor asks for where the operator is. */
    @ParameterizedTest
    @EnumSource(FramingKind.class)
    void shouldBeSeenWhereADecoderFails(FramingKind framing) {
        List<Function<NetioInbound, Flux<Object>>> ways = framing == FramingKind.RAW
                ? List.of(in -> in.receive(message -> fail()))
                : List.of(in -> in.receive(message -> fail()), in -> in.receiveTagged((tag, status, message) -> fail()));
        BiFunction<Throwable, Object, Throwable> hook = (error, data) -> {
            see("hook");
            return error;
        };
        for (Function<NetioInbound, Flux<Object>> way : ways) {
            connect(BackendType.TCP, s -> s.framing(framing.framing()), c -> c.framing(framing.framing()));
            server.send(Flux.just(message())).subscribe(nothing -> { }, error -> { });
            StepVerifier.create(way.apply(client).contextWrite(Context.of(ON_OPERATOR_ERROR, hook)))
                    .expectErrorMessage("no element").verify(PATIENCE);
            assertSeen("hook");
        }
    }

    private static Object fail() {
        throw new IllegalStateException("no element");
    }

    @ParameterizedTest
    @EnumSource(FramingKind.class)
    void shouldBeSeenByTheOperatorsOfLeases(FramingKind framing) {
        connect(BackendType.TCP, s -> s.framing(framing.framing()), c -> c.framing(framing.framing()));
        server.send(Flux.just(message())).subscribe(nothing -> { }, error -> { });
        client.receiveLeased(leases -> leases.transformDeferredContextual((inner, context) -> {
            see(context.getOrDefault(KEY, "nobody"));
            return inner;
        }).doOnNext(Lease::close)).contextWrite(Context.of(KEY, "leased")).blockFirst(PATIENCE);
        assertSeen("leased");
        if (framing == FramingKind.STREAM) {
            server.stream(5).send(Flux.just(message())).subscribe(nothing -> { }, error -> { });
            client.stream(5).receiveLeased(leases -> telling(leases.doOnNext(Lease::close)))
                    .contextWrite(Context.of(KEY, "stream")).blockFirst(PATIENCE);
            assertSeen("stream");
        }
    }

    @Test
    void shouldBeSeenByTheAnswersOfAResponder() {
        connect(FramingKind.STREAM);
        server.respond(7, request -> telling(Flux.just(request)).next()).contextWrite(Context.of(KEY, "respond")).subscribe();
        client.requester(7).request(message()).contextWrite(Context.of(KEY, "nobody here")).block(PATIENCE);
        client.requester(7).request(message()).block(PATIENCE);
        assertSeen("respond", "respond");
    }

    /** Says who is in the Context around what a side does. */
    private final class Around implements NetioPropagator {
        @Override
        public Mono<NetioConnection> aroundConnect(SocketAddress peer, Mono<NetioConnection> connecting) {
            return telling(connecting.flux()).next().doOnSubscribe(s -> see("connect"));
        }

        @Override
        public <T> Flux<T> aroundSubscribe(NetioConnection connection, String tags, Flux<T> messages) {
            return telling(messages).doOnSubscribe(s -> see("subscribe " + tags));
        }
    }

    private DisposableServer publisher() {
        NetioPublisher publisher = NetioPublisher.create().publishEach(Tags.of(1), tag -> Flux.just(message()))
                .publishEach(Tags.of(2), tag -> Flux.just(message()))
                .publish(Tags.range(10, 19), Flux.<TaggedMessage>empty());
        return publisher.serve(NetioServer.create().backend(BackendType.TCP).runOn(loops)).bindNow();
    }

    private NetioSubscriber subscriber(int port) {
        return NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).runOn(loops).port(port)
                .propagation(new Around()));
    }

    @Test
    void shouldBeSeenAroundConnectAndSubscribe() {
        DisposableServer listening = publisher();
        NetioSubscriber subscriber = subscriber(listening.port());
        subscriber.subscribe(1).contextWrite(Context.of(KEY, "one")).blockLast(PATIENCE);
        assertSeen("one", "connect", "one", "subscribe 1");
        subscriber.subscribe(Tags.range(10, 19)).contextWrite(Context.of(KEY, "range")).blockLast(PATIENCE);
        assertSeen("range", "connect", "range", "subscribe 10 to 19");
        subscriber.subscribe(1, 2).contextWrite(Context.of(KEY, "both")).blockLast(PATIENCE);
        assertSeen("both", "connect", "both", "subscribe 1", "both", "subscribe 2");
        NetioClient.create().backend(BackendType.TCP).runOn(loops).port(listening.port()).propagation(new Around()).connect()
                .contextWrite(Context.of(KEY, "client")).blockOptional(PATIENCE).orElseThrow().dispose();
        assertSeen("client", "connect");
        listening.disposeNow(PATIENCE);
    }

    @Test
    void shouldBeSeenByWhatDecidesToReconnect() {
        DisposableServer listening = publisher();
        AtomicInteger retries = new AtomicInteger();
        Retry asked = Retry.from(signals -> signals.concatMap(signal -> Mono.deferContextual(context -> {
            see("retry of " + context.getOrDefault(KEY, "nobody"));
            return retries.incrementAndGet() < 3 ? Mono.just(1) : Mono.error(new IllegalStateException("enough"));
        })));
        StepVerifier.create(subscriber(listening.port()).reconnect(asked).subscribe(3).contextWrite(Context.of(KEY, "it")))
                .expectErrorMessage("enough").verify(PATIENCE);
        assertSeen("it", "connect", "it", "subscribe 3", "retry of it", "it", "connect", "it", "subscribe 3", "retry of it",
                "it", "connect", "it", "subscribe 3", "retry of it");
        listening.disposeNow(PATIENCE);
    }

    /** Reactor's own retries have a context besides, which comes with each signal. */
    @Test
    void shouldKeepTheContextOfARetry() {
        DisposableServer listening = publisher();
        Retry once = Retry.max(1).withRetryContext(Context.of("retry", "of mine")).doBeforeRetry(signal ->
                see(signal.retryContextView().getOrDefault("retry", "nothing")));
        StepVerifier.create(subscriber(listening.port()).reconnect(once).subscribe(3).contextWrite(Context.of(KEY, "it")))
                .expectErrorSatisfies(error -> assertThat(error).hasMessageContaining("Retries exhausted")).verify(PATIENCE);
        assertThat(seen).contains("of mine");
        listening.disposeNow(PATIENCE);
    }
}
