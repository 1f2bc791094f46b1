// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micrometer;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.test.simple.SimpleSpan;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioRequester;
import io.reactivenetio.api.Tags;
import io.reactivenetio.micrometer.TraceParent.Process;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.util.context.Context;

/** Observations of both sides, and the traces that they make together. */
@Timeout(180)
class ObservationsTest extends TwoEnds {
    private static final long TAG = 7;

    private final Process asking = new Process();
    private final Process answering = new Process();

    private void connect(BackendType backend, boolean onServer, boolean onClient) {
        connect(backend, s -> onServer ? s.propagation(NetioObservations.create(answering.registry)) : s,
                c -> onClient ? c.propagation(NetioObservations.create(asking.registry)) : c);
    }

    private static ByteBuffer text(String text) {
        return StandardCharsets.UTF_8.encode(text);
    }

    private Mono<String> ask(String question) {
        return client.requester(TAG).request(text(question)).map(answer -> StandardCharsets.UTF_8.decode(answer).toString());
    }

    /** With {@code parent} as a caller's, in the Context. */
    private static Context within(Observation parent) {
        return Context.of(ObservationThreadLocalAccessor.KEY, parent);
    }

    private static void assertChild(SimpleSpan child, SimpleSpan parent, Span.Kind kind) {
        assertThat(child.context().traceId()).isEqualTo(parent.context().traceId());
        assertThat(child.context().parentId()).isEqualTo(parent.context().spanId());
        assertThat(child.getKind()).isEqualTo(kind);
        assertThat(child.getEndTimestamp().toEpochMilli()).isPositive();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldMakeOneTraceOfARequestAndWhatItsResponderAsks(BackendType backend) {
        Process last = new Process();
        DisposableServer listening = NetioServer.create().backend(backend).runOn(loops)
                .propagation(NetioObservations.create(last.registry))
                .doOnConnection(connection -> connection.respond(9, request -> Mono.just(request)
                        .delayElement(Duration.ofMillis(1), Schedulers.parallel())).subscribe()).bindNow();
        NetioConnection next = NetioClient.create().backend(backend).runOn(loops).port(listening.port())
                .propagation(NetioObservations.create(answering.registry)).connectNow();
        connect(backend, true, true);
        server.respond(TAG, request -> next.requester(9).request(request).publishOn(Schedulers.parallel())).subscribe();
        Observation caller = Observation.start("caller", asking.registry);
        assertThat(ask("hello").contextWrite(within(caller)).block(PATIENCE)).isEqualTo("hello");
        caller.stop();

        SimpleSpan root = asking.span("caller");
        assertThat(root.context().traceId()).isNotEmpty();
        assertChild(asking.span("request 7"), root, Span.Kind.CLIENT);
        Eventually.await(() -> answering.count("netio.respond", "success") == 1, () -> "" + answering.spans());
        assertChild(answering.span("respond 7"), asking.span("request 7"), Span.Kind.SERVER);
        assertChild(answering.span("request 9"), answering.span("respond 7"), Span.Kind.CLIENT);
        assertChild(last.span("respond 9"), answering.span("request 9"), Span.Kind.SERVER);
        next.dispose();
        listening.dispose();
    }

    @Test
    void shouldSayWhatWasAskedOfWhomAndHowItEnded() {
        connect(BackendType.TCP, true, true);
        server.respond(TAG, request -> switch (StandardCharsets.UTF_8.decode(request).toString()) {
            case "nothing" -> Mono.empty();
            case "failure" -> Mono.error(new IllegalStateException("no such run"));
            case "throws" -> throw new IllegalArgumentException("not today");
            case "never" -> Mono.never();
            default -> Mono.just(request);
        }).subscribe();
        ask("hello").block(PATIENCE);
        assertThat(asking.count("netio.request", "success")).as("before the subscriber is told").isEqualTo(1);
        assertThat(ask("nothing").blockOptional(PATIENCE)).isEmpty();
        for (String wrong : List.of("failure", "throws")) {
            assertThatThrownBy(() -> ask(wrong).block(PATIENCE)).isInstanceOf(NetioStreamException.class);
        }
        StepVerifier.create(ask("never").timeout(Duration.ofMillis(50))).expectError(TimeoutException.class).verify(PATIENCE);
        Eventually.await(() -> answering.count("netio.respond", "cancelled") == 1, () -> "" + answering.meters.getMeters());
        assertThat(List.of(asking.count("netio.request", "success"), asking.count("netio.request", "error"),
                asking.count("netio.request", "cancelled"))).containsExactly(2L, 2L, 1L);
        assertThat(List.of(answering.count("netio.respond", "success"), answering.count("netio.respond", "error")))
                .containsExactly(2L, 2L);
        assertThat(asking.meters.get("netio.request").tags("tag", "7", "peer", "127.0.0.1", "outcome", "success", "error", "none")
                .timer().count()).isEqualTo(2);
        assertThat(asking.meters.get("netio.request").tags("outcome", "error", "error", "NetioStreamException").timer().count())
                .isEqualTo(2);
        assertThat(answering.meters.get("netio.respond").tags("error", "IllegalArgumentException").timer().count()).isEqualTo(1);
        assertThat(asking.meters.get("netio.request.active").tags("tag", "7", "outcome", "unknown").longTaskTimer().activeTasks())
                .isZero();
        SimpleSpan first = asking.spans().stream().filter(span -> "request 7".equals(span.getName())).findFirst().orElseThrow();
        int port = ((InetSocketAddress) client.remoteAddress()).getPort();
        assertThat(first.getTags()).containsEntry("peer.address", "127.0.0.1:" + port).containsEntry("outcome", "success");
        assertThat(first.getRemoteIp() + ":" + first.getRemotePort()).isEqualTo("127.0.0.1:" + port);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGiveEachOfManyRequestsItsOwnTrace(BackendType backend) {
        connect(backend, true, true);
        server.respond(TAG, request -> Mono.just(request).delayElement(Duration.ofNanos(request.get(0) * 7919L),
                Schedulers.parallel())).subscribe();
        Set<String> callers = ConcurrentHashMap.newKeySet();
        Flux.range(0, 1_000).flatMap(n -> {
            Observation caller = Observation.start("caller", asking.registry);
            Mono<String> answer = n % 5 == 4 ? ask("" + n).timeout(Duration.ofNanos(n * 1_000L)).onErrorResume(e -> Mono.empty())
                    : ask("" + n);
            return answer.doOnNext(said -> assertThat(said).isEqualTo("" + n)).doFinally(signal -> caller.stop())
                    .contextWrite(within(caller));
        }, 1_000).then().block(PATIENCE);
        Eventually.await(() -> answering.spans().stream().allMatch(span -> span.getEndTimestamp().toEpochMilli() > 0),
                () -> "" + answering.spans());
        asking.spans().stream().filter(span -> String.valueOf(span.getName()).startsWith("request")).forEach(span ->
                callers.add(span.context().spanId()));
        assertThat(callers).hasSize(1_000);
        List<SimpleSpan> answers = answering.spans(); // requests that were given up may still arrive
        Set<String> parents = answers.stream().map(span -> span.context().parentId()).collect(Collectors.toSet());
        assertThat(parents).hasSize(answers.size()).hasSizeGreaterThanOrEqualTo(800).isSubsetOf(callers);
        assertThat(answers.stream().map(span -> span.context().traceId()).distinct()).hasSize(parents.size());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldObserveOneSideWhereTheOtherHasNoPropagator(boolean requester) {
        connect(BackendType.TCP, !requester, requester);
        server.respond(TAG, Mono::just).subscribe();
        Observation caller = Observation.start("caller", asking.registry);
        ask("hello").contextWrite(within(caller)).block(PATIENCE);
        assertThat(asking.count("netio.request", "success")).isEqualTo(requester ? 1 : 0);
        assertThat(answering.count("netio.respond", "success")).isEqualTo(requester ? 0 : 1);
        if (!requester) {
            assertThat(answering.span("respond 7").context().parentId()).isEmpty();
        }
    }

    /** A span of the program's start must not become the parent of every request. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldTakeTheParentOfAnAnswerFromItsRequestOnly(boolean current) {
        Queue<String> parents = new ConcurrentLinkedQueue<>();
        answering.registry.observationConfig().observationHandler(new ObservationHandler<NetioRespondContext>() {
            @Override
            public void onStart(NetioRespondContext context) {
                parents.add("parent " + context.getParentObservation());
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return context instanceof NetioRespondContext;
            }
        });
        if (current) {
            Hooks.enableAutomaticContextPropagation();
        }
        try {
            connect(BackendType.TCP, true, false);
            Observation start = Observation.start("start", answering.registry);
            server.respond(TAG, Mono::just).contextWrite(within(start)).subscribe();
            ask("hello").block(PATIENCE);
            start.stop();
        } finally {
            Hooks.disableAutomaticContextPropagation();
        }
        assertThat(answering.span("respond 7").context().parentId()).isEmpty();
        assertThat(parents).containsExactly("parent null");
    }

    @Test
    void shouldTakeTheCurrentObservationAsParentWhereTheContextHasNone() {
        connect(BackendType.TCP, false, true);
        server.respond(TAG, Mono::just).subscribe();
        Observation.createNotStarted("caller", asking.registry).observe(() -> ask("hello").block(PATIENCE));
        assertChild(asking.span("request 7"), asking.span("caller"), Span.Kind.CLIENT);
    }

    @Test
    void shouldObserveConnectAndSubscribe() {
        NetioPublisher publisher = NetioPublisher.create().publishEach(Tags.of(1), tag -> Flux.just(text("one"), text("two")))
                .publish(Tags.range(10, 19), Flux.error(new IllegalStateException("no source")));
        DisposableServer listening = publisher.serve(NetioServer.create().backend(BackendType.TCP).runOn(loops)).bindNow();
        NetioClient connecting = NetioClient.create().backend(BackendType.TCP).runOn(loops)
                .propagation(NetioObservations.create(asking.registry));
        NetioSubscriber subscriber = NetioSubscriber.create(connecting.port(listening.port()));
        Observation caller = Observation.start("caller", asking.registry);
        assertThat(subscriber.subscribe(1).contextWrite(within(caller)).count().block(PATIENCE)).isEqualTo(2);
        caller.stop();
        assertChild(asking.span("connect"), asking.span("caller"), null);
        assertChild(asking.span("subscribe 1"), asking.span("caller"), null);
        subscriber.subscribe(1).next().block(PATIENCE);
        StepVerifier.create(subscriber.subscribe(Tags.range(10, 19))).expectError(NetioStreamException.class).verify(PATIENCE);
        assertThat(List.of(asking.count("netio.subscribe", "success"), asking.count("netio.subscribe", "cancelled"),
                asking.count("netio.subscribe", "error"))).containsExactly(1L, 1L, 1L);
        assertThat(asking.meters.get("netio.subscribe").tags("tag", "10 to 19", "outcome", "error").timer().count()).isOne();
        listening.disposeNow(PATIENCE);
        StepVerifier.create(connecting.port(listening.port()).connect()).expectError(NetioConnectException.class)
                .verify(PATIENCE);
        assertThat(asking.count("netio.connect", "success")).isEqualTo(3);
        assertThat(asking.meters.get("netio.connect").tags("outcome", "error", "error", "NetioConnectException").timer().count())
                .isOne();
        publisher.dispose();
    }

    /** Micrometer's own way to see the observation as the current one. */
    @Test
    void shouldBeTheCurrentObservationOfTheRespondersOperators() {
        Hooks.enableAutomaticContextPropagation();
        try {
            connect(BackendType.TCP, true, true);
            server.respond(TAG, request -> Mono.just(request).publishOn(Schedulers.parallel()).map(element -> {
                Observation current = answering.registry.getCurrentObservation();
                return text(current == null ? "none" : current.getContextView().getName() + "");
            })).subscribe();
            assertThat(ask("which?").block(PATIENCE)).isEqualTo("netio.respond");
            assertThat(Mono.fromSupplier(() -> answering.registry.getCurrentObservation() == null).subscribeOn(server.scheduler())
                    .block(PATIENCE)).as("nothing is left on the loop").isTrue();
        } finally {
            Hooks.disableAutomaticContextPropagation();
        }
    }

    @Test
    void shouldTakeNamesAndKeysOfTheRegistrysConvention() {
        asking.registry.observationConfig().observationConvention(new GlobalObservationConvention<NetioRequestContext>() {
            @Override
            public boolean supportsContext(Observation.Context context) {
                return context instanceof NetioRequestContext;
            }

            @Override
            public String getName() {
                return "my.request";
            }

            @Override
            public KeyValues getLowCardinalityKeyValues(NetioRequestContext context) {
                return KeyValues.of("mine", context.tag() + " " + context.outcome());
            }
        });
        connect(BackendType.TCP, false, true);
        server.respond(TAG, Mono::just).subscribe();
        ask("hello").block(PATIENCE);
        assertThat(asking.meters.get("my.request").tags("mine", "7 success").timer().count()).isOne();
    }

    @Test
    void shouldLeaveTheParentInPlaceWhereItIsSwitchedOff() {
        asking.registry.observationConfig().observationPredicate((name, context) -> !"netio.connect".equals(name)
                && !(context instanceof NetioObservationContext ours && ours.tag().equals("7")));
        answering.registry.observationConfig().observationPredicate((name, context) -> !"netio.respond".equals(name));
        connect(BackendType.TCP, true, true);
        server.respond(TAG, request -> Mono.deferContextual(context ->
                Mono.just(text("" + context.hasKey(ObservationThreadLocalAccessor.KEY))))).subscribe();
        assertThat(ask("hello").block(PATIENCE)).isEqualTo("false");
        assertThat(asking.spans()).isEmpty();
        assertThat(answering.spans()).isEmpty();
    }

    @Test
    void shouldDoNothingWithoutARegistry() {
        NetioObservations none = NetioObservations.create(ObservationRegistry.NOOP);
        connect(BackendType.TCP, s -> s.propagation(none), c -> c.propagation(none));
        server.respond(TAG, Mono::just).subscribe();
        assertThat(ask("hello").block(PATIENCE)).isEqualTo("hello");
        Mono<ByteBuffer> answer = Mono.never();
        assertThat(none.aroundRequest(client, TAG, answer)).isSameAs(answer);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldEndEveryObservationWhenTheConnectionIsLost(BackendType backend) {
        connect(backend, true, true);
        server.respond(TAG, 3, request -> Mono.never()).subscribe();
        Flux.range(0, 10).flatMap(n -> ask("" + n).onErrorResume(e -> Mono.empty())).subscribe(); // 3 are worked on, 7 wait
        Eventually.await(() -> answering.spans().size() == 3, () -> "" + answering.spans());
        server.dispose();
        Eventually.await(() -> asking.count("netio.request", "error") == 10 && answering.count("netio.respond", "cancelled") == 3,
                () -> asking.meters.getMeters() + "" + answering.meters.getMeters());
        assertThatThrownBy(() -> ask("too late").block(PATIENCE)).isInstanceOf(NetioAbortedException.class);
        assertThat(asking.count("netio.request", "error")).isEqualTo(11);
    }

    /** A handler that is wrong fails its requests, and none of them keeps a place. */
    @Test
    void shouldFailRequestsWhoseHandlerThrows() {
        asking.registry.observationConfig().observationHandler(new ObservationHandler<NetioRequestContext>() {
            @Override
            public void onStart(NetioRequestContext context) {
                throw new IllegalStateException("a wrong handler");
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return context instanceof NetioRequestContext ours && ours.tag().equals("8");
            }
        });
        connect(BackendType.TCP, true, true);
        server.respond(TAG, Mono::just).subscribe();
        for (int i = 0; i < NetioRequester.MOST_WAITING + 1; i++) {
            StepVerifier.create(client.requester(8).request(text("?"))).expectErrorMessage("a wrong handler").verify(PATIENCE);
        }
        assertThat(ask("hello").block(PATIENCE)).isEqualTo("hello");
    }
}
