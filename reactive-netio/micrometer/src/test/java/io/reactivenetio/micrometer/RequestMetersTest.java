// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micrometer;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivenetio.Framing;
import io.reactivenetio.NetioMetrics;
import io.reactivenetio.api.RequestStatistics;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** What the meters of both sides show of requests: how long they take, and how they end. */
@Timeout(180)
class RequestMetersTest extends TwoEnds {
    private static final long TAG = 7;
    private static final int LARGEST = 1_000;

    private final NetioMetrics asking = new NetioMetrics();
    private final NetioMetrics answering = new NetioMetrics();
    private final SimpleMeterRegistry requester = new SimpleMeterRegistry();
    private final SimpleMeterRegistry responder = new SimpleMeterRegistry();

    @BeforeEach
    void connectAndBind() {
        NetioMeters.of(asking, List.of(Tag.of("end", "client"))).bindTo(requester);
        NetioMeters.of(answering, List.of()).bindTo(responder);
        connect(BackendType.TCP, s -> s.metrics(answering).framing(Framing.stream().maxMessageSize(LARGEST)),
                c -> c.metrics(asking)
                .framing(Framing.stream().maxMessageSize(LARGEST).serveTimeout(Duration.ofMillis(200))));
    }

    @AfterEach
    void shouldCountEachRequestOnceOnEachSide() {
        for (NetioMetrics metrics : List.of(asking, answering)) {
            Eventually.await(() -> metrics.statistics().requests().underWay() + metrics.statistics().responses().underWay() == 0,
                    () -> metrics.statistics().toString());
        }
        awaitTimers(requester, "requester", () -> asking.statistics().requests().ended());
        awaitTimers(responder, "responder", () -> answering.statistics().responses().ended());
        assertThat(timers(requester, "responder") + timers(responder, "requester")).isZero();
    }

    /** The timers are told of an end when it has been counted. */
    private static void awaitTimers(SimpleMeterRegistry registry, String side, LongSupplier ended) {
        Eventually.await(() -> timers(registry, side) == ended.getAsLong(), () ->
                timers(registry, side) + " of " + ended.getAsLong());
    }

    private static long timers(SimpleMeterRegistry registry, String side) {
        return registry.get("netio.requests").tag("side", side).timers().stream().mapToLong(Timer::count).sum();
    }

    private static Timer timer(SimpleMeterRegistry registry, String side, String outcome) {
        return registry.get("netio.requests").tag("side", side).tag("outcome", outcome).timer();
    }

    private static double active(SimpleMeterRegistry registry, String side) {
        return registry.get("netio.requests.active").tag("side", side).gauge().value();
    }

    private void awaitEnded(String atRequester, String atResponder, int count) {
        Eventually.await(() -> timer(requester, "requester", atRequester).count() == count
                && timer(responder, "responder", atResponder).count() == count, () -> asking.statistics() + " "
                + answering.statistics());
    }

    private Mono<ByteBuffer> ask() {
        return client.requester(TAG).request(number(1));
    }

    @Test
    void shouldTimeAnswers() {
        server.respond(TAG, request -> request.getLong(0) == 0 ? Mono.<ByteBuffer>empty()
                : Mono.just(request).delayElement(Duration.ofMillis(50))).subscribe();
        Flux.range(0, 10).flatMap(n -> client.requester(TAG).request(number(n))).then().block(PATIENCE);
        awaitEnded("answered", "answered", 10);
        for (Timer timer : List.of(timer(requester, "requester", "answered"), timer(responder, "responder", "answered"))) {
            assertThat(timer.max(TimeUnit.MILLISECONDS)).isBetween(45.0, 30_000.0);
            assertThat(timer.totalTime(TimeUnit.MILLISECONDS)).isGreaterThan(9 * 45);
        }
        RequestStatistics asked = asking.statistics().requests();
        assertThat(asked.answered()).isEqualTo(10);
        assertThat(asked.maxTime()).isGreaterThan(Duration.ofMillis(45));
        assertThat(asked.totalTime()).isGreaterThan(asked.maxTime());
        assertThat(asking.statistics().responses()).isEqualTo(new RequestStatistics(0, 0, 0, 0, 0, 0,
                Duration.ZERO, Duration.ZERO));
        assertThat(requester.get("netio.requests").tag("end", "client").timers()).hasSize(10);
    }

    @Test
    void shouldTellFailuresByTheirKind() {
        server.respond(TAG, request -> request.remaining() == 0
                ? Mono.just(ByteBuffer.allocate(2 * LARGEST)) : Mono.error(new IllegalStateException("no"))).subscribe();
        assertThat(ask().materialize().block(PATIENCE).isOnError()).isTrue();
        assertThat(client.requester(TAG).request(ByteBuffer.allocate(0)).materialize().block(PATIENCE).isOnError()).isTrue();
        awaitEnded("failed", "failed", 2);
        assertThat(client.requester(TAG).request(ByteBuffer.allocate(2 * LARGEST)).materialize().block(PATIENCE).isOnError())
                .isTrue();
        assertThat(client.requester(8).request(number(1)).materialize().block(PATIENCE).isOnError()).isTrue(); // nobody responds
        assertThat(timer(requester, "requester", "refused").count()).isEqualTo(2);
        assertThat(answering.statistics().responses().refused()).isZero();
    }

    @Test
    void shouldShowWhatIsUnderWayUntilItIsCancelled() {
        server.respond(TAG, 2, request -> Mono.never()).subscribe();
        List<Disposable> requests = Flux.range(0, 5).map(n -> ask().subscribe(answer -> { }, error -> { })).collectList()
                .block(PATIENCE);
        Eventually.await(() -> active(responder, "responder") == 2, () -> answering.statistics().toString());
        assertThat(active(requester, "requester")).isEqualTo(5); // three of them wait
        assertThat(ask().timeout(Duration.ofMillis(20)).onErrorResume(TimeoutException.class, late -> Mono.empty())
                .block(PATIENCE)).isNull();
        assertThat(timer(requester, "requester", "cancelled").count()).isEqualTo(1);
        requests.forEach(Disposable::dispose);
        Eventually.await(() -> active(requester, "requester") == 0 && active(responder, "responder") == 0,
                () -> asking.statistics() + " " + answering.statistics());
        assertThat(timer(requester, "requester", "cancelled").count()).isEqualTo(6);
        awaitTimers(responder, "responder", () -> answering.statistics().responses().ended());
        assertThat(timer(responder, "responder", "cancelled").count()).isBetween(2L, 5L);
    }

    @Test
    void shouldShowWhatIsLostWithItsConnection() {
        server.respond(TAG, request -> Mono.never()).subscribe(nothing -> { }, error -> { });
        List<String> ends = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 4; i++) {
            ask().subscribe(answer -> { }, error -> ends.add(error.toString()));
        }
        Eventually.await(() -> active(responder, "responder") == 4, () -> answering.statistics().toString());
        server.dispose();
        awaitEnded("lost", "lost", 4);
        Eventually.await(() -> ends.size() == 4, ends::toString);
        Eventually.await(() -> asking.statistics().connections() == 0, () -> asking.statistics().toString());
        assertThat(ask().materialize().block(PATIENCE).isOnError()).isTrue(); // after the end of its connection
        assertThat(timer(requester, "requester", "lost").count()).isEqualTo(5);
    }

    @Test
    void shouldCountARequestThatIsCancelledOrAnsweredOnlyOnce() {
        Sinks.One<ByteBuffer> answer = Sinks.one();
        server.respond(TAG, request -> answer.asMono()).subscribe();
        for (int i = 0; i < 100; i++) {
            ask().timeout(Duration.ofMillis(1)).onErrorComplete().subscribe();
        }
        answer.tryEmitValue(number(2));
        Eventually.await(() -> asking.statistics().requests().ended() == 100, () -> asking.statistics().toString());
        RequestStatistics asked = asking.statistics().requests();
        assertThat(asked.answered() + asked.cancelled()).isEqualTo(100);
    }

    /** A responder that is stopped lets go of what it works on. */
    @Test
    void shouldShowWhatAResponderGivesUp() {
        Disposable responding = server.respond(TAG, request -> Mono.never()).subscribe();
        ask().subscribe(nothing -> { }, error -> { });
        Eventually.await(() -> active(responder, "responder") == 1, () -> answering.statistics().toString());
        responding.dispose();
        awaitEnded("lost", "lost", 1);
    }

    @Test
    void shouldTimeOnceHoweverOftenItIsBoundAndNotAfterTheRegistryIsClosed() {
        SimpleMeterRegistry other = new SimpleMeterRegistry();
        NetioMeters.of(asking, List.of()).bindTo(other);
        NetioMeters.of(asking, List.of()).bindTo(other);
        server.respond(TAG, Mono::just).subscribe();
        ask().block(PATIENCE);
        assertThat(timers(other, "requester")).isEqualTo(1);
        other.close();
        ask().block(PATIENCE);
        assertThat(timers(other, "requester")).isEqualTo(1);
        assertThat(timers(requester, "requester")).isEqualTo(2);
    }
}
