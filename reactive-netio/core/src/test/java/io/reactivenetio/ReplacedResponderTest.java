// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.StreamError;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** Responders that end or are replaced under load: the connection goes on, and the tag is served again. */
@Timeout(180)
class ReplacedResponderTest extends TwoEnds {
    private static final long TAG = 7;
    private static final Framing IMPATIENT = Framing.stream().serveTimeout(Duration.ofMillis(300));

    private void connectSmall(BackendType backend, UnaryOperator<NetioServer> onServer, UnaryOperator<NetioClient> onClient) {
        connect(backend, s -> onServer.apply(s.receiveBuffers(2048, 8).sendBuffers(2048, 8)),
                c -> onClient.apply(c.receiveBuffers(2048, 8).sendBuffers(2048, 8)));
    }

    private static ByteBuffer number(int n) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(0, n);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldKeepTheConnectionWhenAResponderOfLargeAnswersIsDisposedOf(BackendType backend) {
        connectSmall(backend, s -> s, c -> c);
        for (int round = 0; round < 5; round++) {
            Disposable responder = server.respond(TAG, request -> Mono.just(ByteBuffer.allocate(200_000))).subscribe();
            AtomicInteger answers = new AtomicInteger();
            Sinks.Empty<Void> over = Sinks.empty();
            Mono<Long> given = over.asMono().then(Mono.delay(Duration.ofSeconds(2))); // what waits for another one goes then
            Flux.range(0, 100).flatMap(n -> client.requester(TAG).request(number(n)).doOnNext(answer -> {
                if (answers.incrementAndGet() == 20) {
                    responder.dispose();
                    over.tryEmitEmpty();
                }
            }).onErrorResume(NetioAbortedException.class, e -> Mono.empty())
                    .takeUntilOther(given).onErrorResume(e -> Mono.empty()), 100).blockLast(PATIENCE);
            assertThat(answers).hasValueGreaterThanOrEqualTo(20);
            assertThat(client.isDisposed()).isFalse();
            assertThat(server.isDisposed()).isFalse();
        }
        assertThat(Flux.merge(server.stream(2).send(Flux.just(number(1))).then(Mono.<ByteBuffer>empty()),
                client.stream(2).receive().take(1)).blockLast(PATIENCE)).isEqualTo(number(1));
    }

    @ParameterizedTest
    @CsvSource({"TCP,0,8", "TCP,0,20000", "TCP,2000,200000", "TCP,50000,20000", "LIBFABRIC,0,8", "LIBFABRIC,2000,200000"})
    void shouldServeTheTagWhateverThePaceOfReplacements(BackendType backend, int micros, int bytes) {
        connectSmall(backend, s -> s, c -> c);
        AtomicInteger generation = new AtomicInteger();
        AtomicReference<Throwable> failed = new AtomicReference<>();
        Disposable.Swap current = Disposables.swap();
        Runnable replace = () -> { // as switchMap does
            int now = generation.incrementAndGet();
            current.update(Disposables.disposed());
            current.update(server.respond(TAG, 16, request -> Mono.just(ByteBuffer.allocate(bytes + Integer.BYTES)
                    .putInt(0, request.getInt(0)).putInt(bytes, now))).subscribe(nothing -> { }, failed::set));
        };
        replace.run();
        AtomicBoolean over = new AtomicBoolean();
        Flux<Long> ticks = micros == 0 ? Flux.interval(Duration.ofMillis(1), server.scheduler())
                .doOnNext(tick -> Flux.range(0, 40).subscribe(n -> replace.run()))
                : Flux.interval(Duration.ofNanos(micros * 1_000L)).onBackpressureDrop().doOnNext(tick -> replace.run());
        Mono<Void> replaced = ticks.takeUntil(tick -> over.get()).then().cache();
        replaced.subscribe();
        AtomicInteger answered = new AtomicInteger();
        AtomicInteger aborted = new AtomicInteger();
        Flux.range(0, Integer.MAX_VALUE).flatMap(n -> client.requester(TAG).request(number(n)).doOnNext(answer -> {
            assertThat(answer.getInt(0)).isEqualTo(n);
            answered.incrementAndGet();
        }).onErrorResume(NetioAbortedException.class, e -> {
            assertThat(e).hasMessageContaining("the responder has ended before it answered");
            aborted.incrementAndGet();
            return Mono.empty();
        }), 40).take(Duration.ofMillis(TestSettings.scaled(2_000))).blockLast(PATIENCE);
        over.set(true);
        replaced.block(PATIENCE); // not in the midst of the 40 of a tick
        Mono.empty().subscribeOn(server.scheduler()).block(PATIENCE); // the last responder is there
        assertThat(failed.get()).isNull();
        int last = generation.get();
        assertThat(client.requester(TAG).request(number(1)).retry(1_000).map(answer -> answer.getInt(bytes)).block(PATIENCE))
                .as("the generation that answers, after %s answers and %s aborted requests", answered, aborted)
                .isEqualTo(last);
        assertThat(client.requester(TAG).request(number(2)).block(PATIENCE)).isNotNull();
        current.dispose();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldKeepWhatWaitsForTheNextResponder(BackendType backend) {
        connectSmall(backend, s -> s, c -> c);
        AtomicInteger working = new AtomicInteger();
        Disposable first = server.respond(TAG, 1, request -> Mono.<ByteBuffer>never()
                .doOnSubscribe(s -> working.incrementAndGet())).subscribe();
        Mono<ByteBuffer> underWay = client.requester(TAG).request(number(1)).cache();
        Mono<ByteBuffer> waiting = client.requester(TAG).request(number(2)).cache();
        underWay.subscribe(answer -> { }, error -> { });
        waiting.subscribe(answer -> { }, error -> { });
        while (working.get() == 0) {
            Thread.onSpinWait();
        }
        first.dispose();
        server.respond(TAG, Mono::just).subscribe();
        StepVerifier.create(underWay).expectError(NetioAbortedException.class).verify(PATIENCE);
        StepVerifier.create(waiting).expectNext(number(2)).expectComplete().verify(PATIENCE);
    }

    @ParameterizedTest
    @CsvSource({"1,1", "1,40", "3,200"})
    void shouldSayThatBothSidesAskAndNobodyAnswers(int fromServer, int fromClient) {
        connectSmall(BackendType.TCP, s -> s.framing(IMPATIENT), c -> c.framing(IMPATIENT));
        Mono<Long> theirs = notServed(server, fromServer);
        Mono<Long> ours = notServed(client, fromClient);
        StepVerifier.create(Mono.zip(theirs, ours)).assertNext(both -> {
            assertThat(both.getT1()).isEqualTo(fromServer);
            assertThat(both.getT2()).isEqualTo(fromClient);
        }).expectComplete().verify(PATIENCE);
    }

    private static Mono<Long> notServed(NetioConnection from, int requests) {
        return Flux.range(0, requests).flatMap(n -> from.requester(TAG).request(number(n)).materialize(), requests)
                .doOnNext(end -> isNotServed(end.getThrowable())).count();
    }

    @Test
    void shouldNotEndWithAResponderOfThePeerThatNobodyAsked() {
        connectSmall(BackendType.TCP, s -> s, c -> c);
        AtomicReference<Object> ended = new AtomicReference<>();
        client.respond(TAG, Mono::just).subscribe(nothing -> { }, ended::set, () -> ended.set("completed"));
        client.respond(TAG + 1, Mono::just).subscribe();
        for (int round = 0; round < 3; round++) {
            Disposable theirs = server.respond(TAG, Mono::just).subscribe();
            for (int there = 0; there < 3; there++) { // both have heard of each other
                assertThat(server.requester(TAG + 1).request(number(there)).block(PATIENCE)).isEqualTo(number(there));
            }
            theirs.dispose();
        }
        assertThat(server.requester(TAG).request(number(5)).block(PATIENCE)).isEqualTo(number(5));
        assertThat(ended.get()).isNull();
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "40"})
    void shouldSayThatThePeerHasARequesterOnlyWhichAsksNothing(int requests) {
        connectSmall(BackendType.TCP, s -> s.framing(IMPATIENT), c -> c.framing(IMPATIENT));
        server.requester(TAG);
        Mono.empty().subscribeOn(server.scheduler()).block(PATIENCE); // until it is there
        for (int round = 0; round < 2; round++) {
            assertThat(Flux.range(0, requests).flatMap(n -> client.requester(TAG).request(number(n)).materialize(), 40)
                    .doOnNext(end -> isNotServed(end.getThrowable())).count().block(PATIENCE)).isEqualTo(requests);
        }
    }

    private static void isNotServed(Throwable error) {
        assertThat(error).isInstanceOf(NetioStreamException.class).hasMessageContaining("nobody serves tag 7");
        assertThat(((NetioStreamException) error).error()).isEqualTo(StreamError.NOT_SERVED);
    }

    @Test
    void shouldHearOfARequesterAtOnceHoweverLateItComes() {
        connectSmall(BackendType.TCP, s -> s, c -> c.framing(Framing.stream()
                .serveTimeout(Duration.ZERO))); // refuses each subscription at once
        for (int round = 0; round < 3; round++) {
            server.respond(TAG + round, Mono::just).subscribe();
        }
        Duration shortest = PATIENCE; // any of them can be late for other reasons
        for (int round = 0; round < 3; round++) {
            Mono.delay(Duration.ofMillis(270)).block();
            long began = System.nanoTime();
            assertThat(client.requester(TAG + round).request(number(round)).block(PATIENCE)).isEqualTo(number(round));
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            shortest = took.compareTo(shortest) < 0 ? took : shortest;
        }
        assertThat(shortest).isLessThan(Duration.ofMillis(250));
    }
}
