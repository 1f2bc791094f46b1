// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioRequester;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioAuthenticationException;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.StreamError;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.util.retry.Retry;

/**
 * What nobody serves is refused after a while, with a word, and what may be served later is asked for again. When that while
 * begins and ends is the subject of {@code WaitsTest} in {@code reactive-netio/test}, on virtual time.
 */
@Timeout(120)
class ServeTimeoutTest {
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final int TAG = 7;

    private final NetioLoops loops = NetioLoops.create("serve", 2);

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private TwoEnds.Connected ends(UnaryOperator<NetioServer> server) {
        return TwoEnds.connected(loops, BackendType.TCP, server, client -> client.framing(Framing.stream().serveTimeout(SHORT)));
    }

    private static ByteBuffer message(long number) {
        return ByteBuffer.allocate(8).putLong(0, number);
    }

    private static void expectNotServed(Flux<?> stream, String text) {
        StepVerifier.create(stream).expectErrorSatisfies(error -> {
            assertThat(error).isInstanceOf(NetioStreamException.class).hasMessageContaining(text);
            assertThat(((NetioStreamException) error).error()).isEqualTo(StreamError.NOT_SERVED);
        }).verify(PATIENCE);
    }

    @Test
    void shouldRefuseAStreamThatNobodySendsOn() {
        NetioConnection client = ends(server -> server.framing(Framing.stream().serveTimeout(SHORT))).client();
        long begin = System.nanoTime();
        expectNotServed(client.stream(TAG).receive(), "nobody serves tag 7: for 300 ms there was no send");
        assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(SHORT.toNanos());
        expectNotServed(client.stream(TAG).receive(), "nobody serves tag 7"); // and again
    }

    @Test
    void shouldRefuseAtOnceWhereNoTagsAreServed() {
        NetioConnection client = ends(server -> server.framing(Framing.stream().serveTimeout(Duration.ZERO))).client();
        expectNotServed(client.stream(TAG).receive(), "nobody serves tag 7");
        StepVerifier.create(client.requester(8).request(message(1))).expectErrorSatisfies(error ->
                assertThat(((NetioStreamException) error).error()).isEqualTo(StreamError.NOT_SERVED)).verify(PATIENCE);
    }

    @Test
    void shouldFailARequestThatNobodyAnswersAndAnswerTheNext() {
        TwoEnds.Connected ends = ends(server -> server.framing(Framing.stream().serveTimeout(SHORT)));
        NetioRequester requester = ends.client().requester(TAG);
        StepVerifier.create(requester.request(message(1))).expectErrorSatisfies(error ->
                assertThat(((NetioStreamException) error).error()).isEqualTo(StreamError.NOT_SERVED)).verify(PATIENCE);
        ends.server().respond(TAG, request -> Mono.just(message(request.getLong() + 1))).subscribe();
        ByteBuffer answer = requester.request(message(1)).retryWhen(Retry.backoff(10, SHORT)).block(PATIENCE);
        assertThat(answer.getLong()).isEqualTo(2);
    }

    /**
     * {@code what} begins in the very turn in which a subscription of the server to {@link #TAG} has waited too long: the loop of
     * the client was held up, and finds both due.
     */
    private static <T> Mono<T> inTheTurnOfTheRefusal(TwoEnds.Connected ends, Mono<T> what) {
        NetioConnection client = ends.client();
        ends.server().stream(2).send(Flux.just(message(0))).subscribe(); // behind the subscription
        return client.stream(2).receive().next().flatMap(behind -> {
            Mono<T> begun = Mono.delay(Duration.ofMillis(25), client.scheduler()).then(what).cache();
            begun.subscribe(result -> { }, error -> { });
            long until = System.nanoTime() + 40_000_000;
            while (System.nanoTime() < until) { // a sleep on a loop would be found
                continue;
            }
            return begun;
        });
    }

    private TwoEnds.Connected impatientClient() {
        return TwoEnds.connected(loops, BackendType.TCP, server -> server,
                client -> client.framing(Framing.stream().serveTimeout(Duration.ofMillis(20))));
    }

    @Test
    void shouldAnswerARequestThatComesAsTheResponderIsRefused() {
        TwoEnds.Connected ends = impatientClient();
        ends.server().respond(TAG, request -> Mono.just(message(request.getLong() + 1))).subscribe();
        Mono<ByteBuffer> request = Mono.defer(() -> ends.client().requester(TAG).request(message(1)));
        ByteBuffer answer = inTheTurnOfTheRefusal(ends, request).block(PATIENCE);
        assertThat(answer.getLong()).isEqualTo(2);
    }

    @Test
    void shouldKeepASendThatComesAsTheReceiverIsRefusedForTheNext() {
        TwoEnds.Connected ends = impatientClient();
        AtomicInteger refused = new AtomicInteger();
        CompletableFuture<ByteBuffer> received = ends.server().stream(TAG).receive().next()
                .doOnError(error -> refused.incrementAndGet()).retryWhen(Retry.fixedDelay(100, Duration.ofMillis(1))).toFuture();
        inTheTurnOfTheRefusal(ends, ends.client().stream(TAG).send(Flux.just(message(3)))).block(PATIENCE);
        assertThat(Mono.fromFuture(received).block(PATIENCE).getLong()).isEqualTo(3);
        assertThat(refused).hasValueGreaterThan(0);
    }

    @Test
    void shouldRefuseANegativeTime() {
        assertThatIllegalArgumentException().isThrownBy(() -> Framing.stream().serveTimeout(Duration.ofMillis(-1)))
                .withMessageContaining("PT-0.001S");
    }

    // ---- what is asked for again

    @Test
    void shouldSayWhichFailuresMayPass() {
        assertThat(List.of(3, 7)).allMatch(code -> NetioSubscriber.isTransient(new NetioStreamException("", code)));
        assertThat(List.of(1, 2, 4, 5, 6, 8)).noneMatch(code -> NetioSubscriber.isTransient(new NetioStreamException("", code)));
        assertThat(NetioSubscriber.isTransient(new NetioConnectException("refused", null))).isTrue();
        assertThat(NetioSubscriber.isTransient(new NetioAuthenticationException("not authenticated", null))).isTrue();
        assertThat(NetioSubscriber.isTransient(new NetioProtocolException("another program", null))).isFalse();
        assertThat(NetioSubscriber.isTransient(new IllegalStateException())).isFalse();
    }

    /** A publisher that is disposed of, is not there, and comes back. */
    @Test
    void shouldOutliveThePublisher() throws InterruptedException {
        NetioPublisher first = NetioPublisher.create().publish(TAG, Flux.just(message(1)).concatWith(Flux.never()));
        AtomicReference<NetioPublisher> present = new AtomicReference<>(first);
        AtomicInteger connections = new AtomicInteger();
        DisposableServer server = NetioServer.create().backend(BackendType.TCP).runOn(loops).doOnConnection(connection -> {
            connections.incrementAndGet();
            present.get().serve(connection);
        }).bindNow(PATIENCE);
        BlockingQueue<Long> received = new LinkedTransferQueue<>();
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        Disposable subscription = NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).runOn(loops)
                        .port(server.port())).reconnect(Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(20)))
                .subscribe(TAG).subscribe(message -> received.add(message.payload().getLong(0)), end::complete);
        assertThat(received.poll(30, TimeUnit.SECONDS)).isEqualTo(1);
        first.dispose(); // code 7, then 3 each time
        int before = connections.get();
        Eventually.await("some more tries", () -> connections.get() > before + 3 || end.isDone());
        assertThat(end).isNotDone();
        NetioPublisher second = NetioPublisher.create().publish(TAG, Flux.just(message(2)).concatWith(Flux.never()));
        present.set(second);
        assertThat(received.poll(30, TimeUnit.SECONDS)).isEqualTo(2);
        subscription.dispose();
        server.dispose();
    }

    @Test
    void shouldLeaveItToTheUserWhatIsAskedForAgain() {
        NetioPublisher failing = NetioPublisher.create().publishEach(io.reactivenetio.api.Tags.of(TAG),
                tag -> Flux.error(new IllegalStateException("each time")));
        DisposableServer server = failing.serve(NetioServer.create().backend(BackendType.TCP).runOn(loops)).bindNow(PATIENCE);
        NetioSubscriber subscriber = NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).runOn(loops)
                .port(server.port()));
        StepVerifier.create(subscriber.reconnect(Retry.max(2)).subscribe(TAG)).expectErrorSatisfies(error ->
                assertThat(error).isInstanceOf(NetioStreamException.class)).verify(PATIENCE); // not asked
        StepVerifier.create(subscriber.reconnect(Retry.max(2), error -> true).subscribe(TAG)).expectErrorMatches(
                error -> reactor.core.Exceptions.isRetryExhausted(error)).verify(PATIENCE);
        server.dispose();
    }
}
