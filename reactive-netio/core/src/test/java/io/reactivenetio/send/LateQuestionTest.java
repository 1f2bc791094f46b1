// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import static io.reactivenetio.transport.SendCompletion.DELIVERED;
import static io.reactivenetio.transport.SendCompletion.TRANSMITTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.connection.StubBackend;
import io.reactivenetio.counters.ConnectionCounters;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.SendKind;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/** When a connection asks for acknowledgements, over a backend that takes questions, on a loop that turns only when told to. */
@Timeout(60)
class LateQuestionTest {
    private static final int BUFFERS = 8;
    private static final int HALF_WINDOW = 4 * BUFFERS / 2;

    private final EventLoop loop = EventLoop.create("questions");
    private final StubBackend backend = new StubBackend(BUFFERS);
    private final Sinks.Many<ByteBuffer> source = Sinks.many().unicast().onBackpressureBuffer();
    private Outbound outbound;

    LateQuestionTest() {
        backend.asks = true;
        outbound = outbound(false);
    }

    private Outbound outbound(boolean shared) {
        return new Outbound(loop, backend, new Endpoint(new InetSocketAddress("127.0.0.1", 1), null, this),
                new ConnectionCounters(), BUFFERS, 64, new SliceSlots(ConnectionParameters.defaults()),
                new FullWindows(), shared);
    }

    @AfterEach
    void close() {
        loop.close();
    }

    private void turn() {
        for (int i = 0; i < 5; i++) {
            loop.poll();
        }
    }

    private CompletableFuture<Void> send(Flux<ByteBuffer> messages) {
        CompletableFuture<Void> result =
                new SendMono<>(messages, actual -> new CopySender(outbound, actual, true, true)).toFuture();
        turn();
        return result;
    }

    /** A message of a source that goes on leaves, and its buffer is free again. */
    private void pass() {
        source.tryEmitNext(ByteBuffer.allocate(4));
        turn();
        complete(backend.sent.size() - 1);
    }

    private void complete(int number) {
        StubBackend.StubBuffer done = backend.sent.get(number);
        backend.free.add(done);
        outbound.onSendCompleted(SendKind.BUFFERED, done.key());
        turn();
    }

    private void acknowledge() {
        outbound.onAcknowledged();
        turn();
    }

    private void awaitQuestions(int number) {
        Eventually.await(number + " questions", () -> {
            turn();
            return backend.questions == number;
        });
    }

    @Test
    void shouldAskOnceForTheMessagesOfAWhile() {
        send(source.asFlux());
        pass();
        pass();
        pass();
        assertThat(backend.levels).containsOnly(TRANSMITTED);
        awaitQuestions(1);
        pass();
        assertThat(backend.questions).as("while the answer has not come").isEqualTo(1);
        acknowledge();
        awaitQuestions(2);
    }

    @Test
    void shouldAskNothingMoreOnceAllIsAcknowledged() {
        CompletableFuture<Void> sent = send(source.asFlux());
        pass();
        awaitQuestions(1);
        acknowledge();
        source.tryEmitComplete();
        turn();
        assertThat(sent).isCompleted();
        assertThat(backend.questions).isEqualTo(1);
    }

    @Test
    void shouldAskWithTheLastMessageOfASendThatHasEnded() {
        CompletableFuture<Void> sent = send(Flux.just(ByteBuffer.allocate(4)));
        assertThat(backend.levels).containsExactly(DELIVERED);
        complete(0);
        assertThat(sent).isCompleted();
        assertThat(backend.questions).isZero();
    }

    @Test
    void shouldAskAtOnceWhenASendEndsAfterItsLastMessage() {
        CompletableFuture<Void> sent = send(source.asFlux());
        pass();
        source.tryEmitComplete();
        turn();
        assertThat(backend.questions).isEqualTo(1);
        assertThat(sent).isNotDone();
        acknowledge();
        assertThat(sent).isCompleted();
    }

    @Test
    void shouldAskAgainForWhatFollowedAQuestion() {
        CompletableFuture<Void> sent = send(source.asFlux());
        pass();
        awaitQuestions(1);
        pass();
        source.tryEmitComplete();
        turn();
        assertThat(backend.questions).isEqualTo(1);
        acknowledge();
        assertThat(sent).as("the answer is about the message before").isNotDone();
        assertThat(backend.questions).isEqualTo(2);
        acknowledge();
        assertThat(sent).isCompleted();
    }

    @Test
    void shouldAskWithAMessageOnceHalfOfTheWindowIsUnderWay() {
        send(source.asFlux());
        for (int i = 0; i < HALF_WINDOW; i++) {
            pass();
        }
        assertThat(backend.levels).containsOnly(TRANSMITTED);
        source.tryEmitNext(ByteBuffer.allocate(4));
        turn();
        assertThat(backend.levels).endsWith(DELIVERED);
    }

    @Test
    void shouldLetHalfOfTheBuffersWaitForAcknowledgementsAtMost() {
        List<CompletableFuture<Void>> sends = new ArrayList<>();
        for (int i = 0; i < BUFFERS - 1; i++) {
            sends.add(send(Flux.just(ByteBuffer.allocate(4))));
        }
        int most = (BUFFERS - BufferLender.COMMON) / 2;
        assertThat(backend.levels.subList(0, most)).containsOnly(DELIVERED);
        assertThat(backend.levels.subList(most, backend.levels.size())).containsOnly(TRANSMITTED).isNotEmpty();
        assertThat(backend.questions).isEqualTo(1);
        for (int i = 0; i < backend.sent.size(); i++) {
            complete(i);
        }
        while (!sends.getLast().isDone()) {
            acknowledge();
        }
        assertThat(sends).allMatch(CompletableFuture::isDone);
    }

    @Test
    void shouldKeepNoSharedBufferUntilAnAcknowledgement() {
        outbound = outbound(true);
        CompletableFuture<Void> sent = send(source.asFlux());
        for (int i = 0; i < HALF_WINDOW; i++) {
            pass();
        }
        assertThat(backend.questions).isEqualTo(1);
        CompletableFuture<Void> other = send(Flux.just(ByteBuffer.allocate(4)));
        complete(backend.sent.size() - 1);
        assertThat(backend.levels).containsOnly(TRANSMITTED);
        acknowledge();
        acknowledge();
        assertThat(other).isCompleted();
        assertThat(sent).isNotDone();
        assertThat(backend.free).hasSizeGreaterThanOrEqualTo(BUFFERS - 1);
    }

    @Test
    void shouldCountWhatHasNoAnswerAsNotDelivered() {
        CompletableFuture<Void> sent = send(source.asFlux());
        pass();
        awaitQuestions(1);
        acknowledge();
        pass();
        pass();
        outbound.close(null, "it broke");
        turn();
        assertThat(sent).isCompletedExceptionally();
        assertThat(sent.exceptionNow()).isInstanceOfSatisfying(NetioAbortedException.class,
                e -> assertThat(e.unsent()).isEqualTo(2));
        int asked = backend.questions;
        turn();
        assertThat(backend.questions).isEqualTo(asked);
    }
}
