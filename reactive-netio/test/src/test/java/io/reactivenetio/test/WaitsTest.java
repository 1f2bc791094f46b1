// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.Framing;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.StreamError;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** When the library's own waits begin and end, to the millisecond: a pair in memory, whose time passes when the test says so. */
@Timeout(60)
class WaitsTest {
    private static final Duration LIMIT = Duration.ofSeconds(3);
    private static final Duration ALMOST = LIMIT.minusMillis(1);
    private static final int TAG = 7;
    private final List<NetioTestPair> pairs = new ArrayList<>();

    @AfterEach
    void close() {
        pairs.forEach(NetioTestPair::close);
    }

    private NetioTestPair pair(Duration serveTimeout) {
        NetioTestPair pair = NetioTestPair.builder().inMemory().configure(
                server -> server.framing(Framing.stream().serveTimeout(serveTimeout)),
                client -> client.framing(Framing.stream().serveTimeout(serveTimeout))).open();
        pairs.add(pair);
        return pair;
    }

    private static ByteBuffer message(long number) {
        return ByteBuffer.allocate(8).putLong(0, number);
    }

    private static void assertNotServed(CompletableFuture<?> stream) {
        assertThat(stream).isCompletedExceptionally();
        assertThat(stream.exceptionNow()).isInstanceOfSatisfying(NetioStreamException.class,
                error -> assertThat(error.error()).isEqualTo(StreamError.NOT_SERVED));
    }

    @Test
    void shouldRefuseAStreamThatNobodySendsOnWhenItsTimeIsOver() {
        NetioTestPair pair = pair(LIMIT);
        for (int i = 0; i < 2; i++) { // and again
            CompletableFuture<ByteBuffer> first = pair.client().stream(TAG).receive().next().toFuture();
            pair.advance(ALMOST);
            assertThat(first).isNotDone();
            pair.advance(Duration.ofMillis(2));
            assertNotServed(first);
        }
    }

    @Test
    void shouldWaitForASendAsLongAsOneHasSaid() {
        NetioTestPair pair = pair(Duration.ofSeconds(Long.MAX_VALUE));
        CompletableFuture<ByteBuffer> first = pair.client().stream(TAG).receive().next().toFuture();
        pair.advance(Duration.ofHours(1));
        assertThat(first).isNotDone();
        pair.server().stream(TAG).send(Mono.just(message(1))).subscribe();
        pair.advance(Duration.ofMillis(10));
        assertThat(first).isCompletedWithValueMatching(message -> message.getLong(0) == 1);
    }

    /** A stream that somebody has sent on may pause. */
    @Test
    void shouldNotRefuseAStreamBetweenTwoSends() {
        NetioTestPair pair = pair(LIMIT);
        List<Long> received = new ArrayList<>();
        CompletableFuture<Void> end = new CompletableFuture<>();
        pair.client().stream(TAG).receive().subscribe(message -> received.add(message.getLong()), end::completeExceptionally,
                () -> end.complete(null));
        for (long i = 0; i < 3; i++) {
            pair.server().stream(TAG).send(Mono.just(message(i))).subscribe();
            pair.advance(Duration.ofMinutes(10));
            assertThat(received).hasSize((int) i + 1);
            assertThat(end).isNotDone();
        }
        pair.server().stream(TAG).completeOutbound().subscribe();
        pair.advance(Duration.ofMillis(10));
        assertThat(end).isCompleted();
    }

    /** A send that has no message yet serves the stream as well. */
    @Test
    void shouldNotRefuseAStreamWithASendThatWaits() {
        NetioTestPair pair = pair(LIMIT);
        CompletableFuture<ByteBuffer> late = new CompletableFuture<>();
        pair.server().stream(TAG).send(Mono.fromFuture(late)).subscribe();
        CompletableFuture<ByteBuffer> first = pair.client().stream(TAG).receive().next().toFuture();
        pair.advance(Duration.ofMinutes(10));
        assertThat(first).isNotDone();
        late.complete(message(5));
        pair.advance(Duration.ofMillis(10));
        assertThat(first).isCompletedWithValueMatching(message -> message.getLong(0) == 5);
    }

    /** Nobody has asked for long: the responder is still there when somebody does. */
    @Test
    void shouldKeepAResponderThatIsNotAsked() {
        NetioTestPair pair = pair(LIMIT);
        Disposable responder = pair.server().respond(TAG, request -> Mono.just(message(request.getLong() + 1))).subscribe();
        pair.advance(Duration.ofHours(1));
        assertThat(responder.isDisposed()).isFalse();
        CompletableFuture<ByteBuffer> answer = pair.client().requester(TAG).request(message(1)).toFuture();
        pair.advance(Duration.ofMillis(10));
        assertThat(answer).isCompletedWithValueMatching(message -> message.getLong(0) == 2);
    }

    @Test
    void shouldFailARequestThatNobodyAnswersWhenItsTimeIsOver() {
        NetioTestPair pair = pair(LIMIT);
        CompletableFuture<ByteBuffer> answer = pair.client().requester(TAG).request(message(1)).toFuture();
        pair.advance(ALMOST);
        assertThat(answer).isNotDone();
        pair.advance(Duration.ofMillis(2));
        assertNotServed(answer);
    }

    /** Two loops that have nothing to say for an hour tell each other that they are there. */
    @Test
    void shouldStayConnectedWhenIdle() {
        NetioTestPair pair = NetioTestPair.builder().inMemory()
                .configure(server -> server.keepAlive(LIMIT), client -> client.keepAlive(LIMIT)).open();
        pairs.add(pair);
        pair.advance(Duration.ofHours(1));
        assertThat(pair.client().isDisposed()).isFalse();
        assertThat(pair.server().isDisposed()).isFalse();
        CompletableFuture<ByteBuffer> first = pair.client().receive().next().toFuture();
        pair.server().send(Mono.just(message(3))).subscribe();
        pair.advance(Duration.ofMillis(10));
        assertThat(first).isCompletedWithValueMatching(message -> message.getLong(0) == 3);
    }

    /** Nothing arrives any more, and nobody is told. */
    @Test
    void shouldNoticeAPeerThatIsSilent() {
        NetioTestPair pair = NetioTestPair.builder().inMemory()
                .configure(server -> server.keepAlive(LIMIT), client -> client.keepAlive(LIMIT)).open();
        pairs.add(pair);
        pair.advance(Duration.ofMinutes(1));
        pair.hold();
        pair.advance(LIMIT.dividedBy(3));
        assertThat(pair.client().isDisposed() || pair.server().isDisposed()).isFalse();
        pair.advance(LIMIT);
        assertThat(pair.client().isDisposed() && pair.server().isDisposed()).isTrue();
    }
}
