// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioRequester;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.StreamError;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Requests and their answers: each to its own, no more at a time than the responder works on, cancels before all. */
@Timeout(180)
class RequestTest extends TwoEnds {
    private static final long TAG = 7;

    private void connect(BackendType backend) {
        connect(backend, connection -> { });
    }

    private void connect(BackendType backend, Consumer<NetioConnection> onServer) {
        connect(backend, s -> s.receiveBuffers(2048, 8).sendBuffers(2048, 8).doOnConnection(onServer),
                c -> c.receiveBuffers(2048, 8).sendBuffers(2048, 8));
    }

    private static ByteBuffer text(String text) {
        return StandardCharsets.UTF_8.encode(text);
    }

    private static String text(ByteBuffer payload) {
        return StandardCharsets.UTF_8.decode(payload.duplicate()).toString();
    }

    private Mono<String> ask(String question) {
        return client.requester(TAG).request(text(question)).map(RequestTest::text);
    }

    private static void until(Eventually.Condition condition) {
        Eventually.await("what the test waits for", condition);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGiveEachRequestItsOwnAnswerInAnyOrder(BackendType backend) {
        connect(backend);
        AtomicInteger working = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        server.respond(TAG, 16, request -> {
            most.accumulateAndGet(working.incrementAndGet(), Math::max);
            return Mono.just(text("re: " + text(request))).delayElement(Duration.ofMillis(Math.floorMod(request.hashCode(), 4)))
                    .doOnTerminate(working::decrementAndGet);
        }).subscribe();
        List<String> answers = Flux.range(0, 2_000).flatMapSequential(n -> ask("question " + n), 200).collectList()
                .block(PATIENCE);
        assertThat(answers).hasSize(2_000).startsWith("re: question 0", "re: question 1").doesNotHaveDuplicates();
        assertThat(answers.get(1_999)).isEqualTo("re: question 1999");
        assertThat(most).as("at a time").hasValueBetween(2, 16);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldAnswerAtOnceOnTheLoop(BackendType backend) {
        connect(backend);
        server.respond(TAG, 1, Mono::just).subscribe();
        assertThat(Flux.range(0, 10_000).flatMap(n -> ask("" + n), 500).map(Integer::parseInt).reduce(0L, Long::sum)
                .block(PATIENCE.multipliedBy(2))).isEqualTo(49_995_000L); // one after the other, there and back
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldTellHowTheResponderEnded(BackendType backend) {
        connect(backend);
        server.respond(TAG, request -> switch (text(request)) {
            case "nothing" -> Mono.empty();
            case "failure" -> Mono.error(new IllegalStateException("no such run"));
            case "throws" -> throw new IllegalArgumentException("not today");
            case "null" -> null;
            case "empty" -> Mono.just(ByteBuffer.allocate(0));
            default -> Mono.just(request);
        }).subscribe();
        StepVerifier.create(ask("nothing")).expectComplete().verify(PATIENCE);
        StepVerifier.create(ask("empty")).expectNext("").expectComplete().verify(PATIENCE);
        StepVerifier.create(ask("failure")).expectErrorSatisfies(error -> failed(error, "no such run")).verify(PATIENCE);
        StepVerifier.create(ask("throws")).expectErrorSatisfies(error -> failed(error, "not today")).verify(PATIENCE);
        StepVerifier.create(ask("null")).expectErrorSatisfies(error -> failed(error, "no Mono")).verify(PATIENCE);
        StepVerifier.create(ask("more")).expectNext("more").expectComplete().verify(PATIENCE);
    }

    private static void failed(Throwable error, String text) {
        assertThat(error).isInstanceOf(NetioStreamException.class).hasMessageContaining(text);
        assertThat(((NetioStreamException) error).error()).isEqualTo(StreamError.SOURCE_FAILED);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldCancelWhatTheResponderDoesAlsoWhenItIsBusy(BackendType backend) throws InterruptedException {
        connect(backend);
        AtomicInteger working = new AtomicInteger();
        server.respond(TAG, 4, request -> text(request).equals("work") ? Mono.just(text("done"))
                : Mono.<ByteBuffer>never().doOnSubscribe(s -> working.incrementAndGet()).doOnCancel(working::decrementAndGet))
                .subscribe();
        for (int round = 0; round < 50; round++) {
            List<CompletableFuture<String>> stuck = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                stuck.add(ask("hang").toFuture());
            }
            until(() -> working.get() == 4);
            CompletableFuture<String> behind = ask("work").toFuture(); // has to wait for one of them
            StepVerifier.create(ask("work").timeout(Duration.ofMillis(round % 5))).expectError(TimeoutException.class)
                    .verify(PATIENCE);
            stuck.get(round % 4).cancel(true);
            assertThat(behind.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join()).isEqualTo("done");
            stuck.forEach(request -> request.cancel(true));
            until(() -> working.get() == 0);
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldTakeMessagesOfManyPagesAndRefuseLargerOnes(BackendType backend) {
        connect(backend);
        server.respond(TAG, request -> Mono.just(request.get(0) == 0 ? request : ByteBuffer.allocate(64 * 1024 * 1024 + 1)))
                .subscribe();
        ByteBuffer large = ByteBuffer.allocate(1_000_000).putInt(4, 42);
        StepVerifier.create(client.requester(TAG).request(large)).expectNext(large).expectComplete().verify(PATIENCE);
        StepVerifier.create(client.requester(TAG).request(ByteBuffer.allocate(64 * 1024 * 1024 + 1)))
                .expectError(MessageTooLargeException.class).verify(PATIENCE);
        StepVerifier.create(client.requester(TAG).request(ByteBuffer.allocate(1).put(0, (byte) 1)))
                .expectErrorSatisfies(error -> failed(error, "an answer of 67108865 bytes")).verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldWaitForAResponderAndKeepNoMoreThanItSays(BackendType backend) throws InterruptedException {
        connect(backend);
        AtomicInteger overflows = new AtomicInteger();
        AtomicInteger answers = new AtomicInteger();
        for (int i = 0; i < NetioRequester.MOST_WAITING + 10; i++) {
            ask("early").subscribe(answer -> answers.incrementAndGet(), error -> {
                assertThat(Exceptions.isOverflow(error)).isTrue();
                overflows.incrementAndGet();
            });
        }
        until(() -> overflows.get() == 10);
        server.respond(TAG, 3, Mono::just).subscribe();
        until(() -> answers.get() == NetioRequester.MOST_WAITING);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldForgetWhatWasCancelledWhileItWaited(BackendType backend) {
        connect(backend);
        for (int i = 0; i < 3 * NetioRequester.MOST_WAITING; i++) {
            ask("never mind").subscribe().dispose();
        }
        Mono.empty().subscribeOn(client.scheduler()).block(PATIENCE); // after all of them
        AtomicInteger asked = new AtomicInteger();
        server.respond(TAG, request -> {
            asked.incrementAndGet();
            return Mono.just(request);
        }).subscribe();
        StepVerifier.create(ask("still there?")).expectNext("still there?").expectComplete().verify(PATIENCE);
        assertThat(asked).hasValue(1);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldSayThatNobodyRespondsWherePublishersServe(BackendType backend) {
        NetioPublisher publisher = NetioPublisher.create().publish(1, Flux.never());
        connect(backend, connection -> {
            publisher.serve(connection);
            connection.respond(TAG, Mono::just).subscribe();
        });
        StepVerifier.create(ask("hello")).expectNext("hello").expectComplete().verify(PATIENCE);
        StepVerifier.create(client.requester(8).request(text("hello"))).expectErrorSatisfies(error -> {
            assertThat(error).isInstanceOf(NetioStreamException.class).hasMessageContaining("nobody serves tag 8");
            assertThat(((NetioStreamException) error).error()).isEqualTo(StreamError.NOT_SERVED);
        }).verify(PATIENCE);
        publisher.dispose();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldFailWhatIsUnderWayWithItsConnection(BackendType backend) throws InterruptedException {
        connect(backend);
        Sinks.Empty<Void> over = Sinks.empty();
        AtomicInteger working = new AtomicInteger();
        server.respond(TAG, 2, request -> Mono.<ByteBuffer>never().doOnSubscribe(s -> working.incrementAndGet())
                .doOnCancel(working::decrementAndGet)).subscribe(nothing -> { }, over::tryEmitError, over::tryEmitEmpty);
        AtomicInteger aborted = new AtomicInteger();
        for (int i = 0; i < 5; i++) {
            ask("hang").subscribe(answer -> { }, error -> {
                assertThat(error).isInstanceOf(NetioAbortedException.class);
                aborted.incrementAndGet();
                throw new IllegalStateException("a subscriber that throws");
            });
        }
        until(() -> working.get() == 2);
        server.dispose();
        until(() -> aborted.get() == 5 && working.get() == 0);
        StepVerifier.create(over.asMono()).expectComplete().verify(PATIENCE);
        StepVerifier.create(ask("again")).expectError(NetioAbortedException.class).verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldLetOneResponderFollowAnother(BackendType backend) throws InterruptedException {
        connect(backend);
        AtomicInteger working = new AtomicInteger();
        for (int round = 0; round < 20; round++) {
            String name = "responder " + round;
            var responder = server.respond(TAG, 2, request -> text(request).equals("hang")
                    ? Mono.<ByteBuffer>never().doOnSubscribe(s -> working.incrementAndGet()).doOnCancel(working::decrementAndGet)
                    : Mono.just(text(name))).subscribe();
            StepVerifier.create(server.respond(TAG, Mono::just)).expectError(IllegalStateException.class).verify(PATIENCE);
            StepVerifier.create(ask("who are you?")).expectNext(name).expectComplete().verify(PATIENCE);
            Mono<String> hanging = ask("hang").cache();
            hanging.subscribe(answer -> { }, error -> { });
            until(() -> working.get() == 1);
            responder.dispose();
            StepVerifier.create(hanging).expectErrorSatisfies(error -> assertThat(error)
                    .isInstanceOf(NetioAbortedException.class).hasMessageContaining("the responder has ended")).verify(PATIENCE);
            until(() -> working.get() == 0);
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldSurviveCancelsAtAnyTime(BackendType backend) throws InterruptedException {
        connect(backend);
        AtomicInteger working = new AtomicInteger();
        server.respond(TAG, 8, request -> Mono.just(request).delayElement(Duration.ofNanos(request.getInt(0) % 300_000),
                Schedulers.parallel()).doOnSubscribe(s -> working.incrementAndGet()).doFinally(s -> working.decrementAndGet()))
                .subscribe();
        AtomicInteger ended = new AtomicInteger();
        int number = 5_000;
        Flux.range(0, number).flatMap(n -> client.requester(TAG).request(ByteBuffer.allocate(4).putInt(0, n * 7919))
                .timeout(Duration.ofNanos(100_000 + n * 104_729L % 500_000))
                .onErrorResume(TimeoutException.class, e -> Mono.empty())
                .doOnTerminate(ended::incrementAndGet), 32).then().block(PATIENCE);
        assertThat(ended).hasValue(number);
        until(() -> working.get() == 0);
        StepVerifier.create(Flux.range(0, 100).flatMap(n -> ask("0000" + n), 100).count()).expectNext(100L).expectComplete()
                .verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldRefuseARequesterThatBreaksTheRules(BackendType backend) {
        for (TaggedMessage wrong : List.of(new TaggedMessage(1, 0, text("same number")), new TaggedMessage(2, 9, text("?")))) {
            connect(backend);
            Mono<Void> responder = server.respond(TAG, request -> Mono.never()).cache();
            responder.subscribe(nothing -> { }, error -> { });
            client.stream(TAG).sendTagged(Flux.just(new TaggedMessage(1, 0, text("first")), wrong)).subscribe(nothing -> { },
                    error -> { });
            StepVerifier.create(responder).expectError(NetioProtocolException.class).verify(PATIENCE);
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldRefuseAResponderThatBreaksTheRules(BackendType backend) {
        for (TaggedMessage wrong : List.of(new TaggedMessage(77, 0, text("not asked")), new TaggedMessage(0, 9, text("?")))) {
            connect(backend);
            server.stream(TAG).sendTagged(Flux.just(wrong)).subscribe(nothing -> { }, error -> { });
            StepVerifier.create(ask("?")).expectError(NetioProtocolException.class).verify(PATIENCE);
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldNotTakeThePeersRequestsForAnswers(BackendType backend) {
        connect(backend);
        Mono<ByteBuffer> theirs = Flux.range(0, 3).flatMap(n -> server.requester(TAG).request(text("from the server"))).next();
        Mono<ByteBuffer> ours = Flux.range(0, 3).flatMap(n -> client.requester(TAG).request(text("from the client"))).next();
        StepVerifier.create(Mono.zipDelayError(theirs.materialize(), ours.materialize())).assertNext(both ->
                both.forEach(end -> assertThat(((Signal<?>) end).getThrowable()).isInstanceOf(NetioStreamException.class)
                        .hasMessageContaining("both sides have a requester of it"))).expectComplete().verify(PATIENCE);
    }

    @Test
    void shouldRefuseWhatCannotBe() {
        connect(BackendType.TCP);
        assertThatThrownBy(() -> server.respond(TAG, 0, Mono::just)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 to 65536: 0");
        assertThat(client.requester(TAG)).isSameAs(client.requester(TAG));
        client.respond(8, Mono::just).subscribe();
        StepVerifier.create(client.requester(8).request(text("?"))).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("tag 8 has a requester or responder here"))
                .verify(PATIENCE);
    }
}
