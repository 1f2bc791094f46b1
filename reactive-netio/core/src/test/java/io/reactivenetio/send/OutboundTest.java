// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.connection.StubBackend;
import io.reactivenetio.counters.ConnectionCounters;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.SendKind;
import io.reactivenetio.transport.backend.SendStatus;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The senders of one connection over a backend that does nothing by itself, on a loop that turns only when told to. */
@Timeout(180)
class OutboundTest {
    private static final int BUFFERS = 4;

    private final EventLoop loop = EventLoop.create("outbound");
    private final StubBackend backend = new StubBackend(BUFFERS);
    private final Outbound outbound = new Outbound(loop, backend,
            new Endpoint(new InetSocketAddress("127.0.0.1", 1), null, this), new ConnectionCounters(), BUFFERS, 64,
            new SliceSlots(ConnectionParameters.defaults()), new SharedSendBudget(BUFFERS), false);

    OutboundTest() {
        turn();
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

    private Mono<Void> sending(Flux<ByteBuffer> messages, boolean untilDelivered) {
        return new SendMono<>(messages, actual -> new CopySender(outbound, actual, untilDelivered, true));
    }

    private CompletableFuture<Void> send(Flux<ByteBuffer> messages) {
        CompletableFuture<Void> result = sending(messages, true).toFuture();
        turn();
        return result;
    }

    private static ByteBuffer message() {
        return ByteBuffer.allocate(4);
    }

    private void complete(int number) {
        StubBackend.StubBuffer done = backend.sent.get(number);
        backend.free.add(done);
        outbound.onSendCompleted(SendKind.BUFFERED, done.key());
        turn();
    }

    @Test
    void shouldNotCompleteASendWhoseLastMessageIsStillHeldBack() {
        Sinks.Many<ByteBuffer> slow = Sinks.many().unicast().onBackpressureBuffer();
        send(slow.asFlux());
        for (int i = 0; i < BUFFERS / 2; i++) { // as many as may wait for acknowledgements
            slow.tryEmitNext(message());
            turn();
        }
        CompletableFuture<Void> other = send(Flux.just(message()));
        assertThat(backend.sent).hasSize(BUFFERS / 2);
        assertThat(other).isNotDone();
        complete(0);
        assertThat(backend.sent).hasSize(BUFFERS / 2 + 1);
        assertThat(other).isNotDone();
        complete(BUFFERS / 2);
        assertThat(other).isCompleted();
    }

    @Test
    void shouldAskForNoMoreThanThereAreFreeBuffers() {
        AtomicLong requested = new AtomicLong();
        Sinks.Many<ByteBuffer> source = Sinks.many().unicast().onBackpressureBuffer();
        CompletableFuture<Void> sent = send(source.asFlux().doOnRequest(requested::addAndGet));
        assertThat(requested.get()).isPositive().isEqualTo(BUFFERS - backend.free.size()); // one for each that may come
        for (int i = 0; i < 10; i++) {
            source.tryEmitNext(message());
        }
        turn();
        for (int i = 0; i < 10; i++) {
            assertThat(requested.get() - i).as("beyond what is done").isEqualTo(BUFFERS - backend.free.size());
            assertThat(backend.sent).hasSizeGreaterThan(i);
            complete(i);
        }
        source.tryEmitComplete();
        turn();
        assertThat(sent).isCompleted();
        assertThat(backend.free).hasSize(BUFFERS);
    }

    @Test
    void shouldFailASendWhoseLastMessageFoundNoResourcesWhenTheConnectionEnds() {
        backend.answer = SendStatus.NO_RESOURCES;
        CompletableFuture<Void> sent = send(Flux.just(message()));
        assertThat(sent).isNotDone();
        outbound.close(null, "the test");
        assertThat(sent).isCompletedExceptionally();
        assertThat(sent.exceptionNow()).isInstanceOfSatisfying(NetioAbortedException.class,
                e -> assertThat(e.unsent()).isEqualTo(1));
    }

    @Test
    void shouldCountAsUnsentWhatIsInTheKernelButNotVouchedFor() {
        Sinks.Many<ByteBuffer> source = Sinks.many().unicast().onBackpressureBuffer();
        for (int i = 0; i < 3; i++) {
            source.tryEmitNext(message());
        }
        CompletableFuture<Void> sent = send(source.asFlux());
        assertThat(backend.sent).hasSize(3);
        complete(0);
        complete(1); // without acknowledgement: only the last one, the tail, was sent with one
        outbound.close(null, "the test");
        assertThat(sent.exceptionNow()).isInstanceOfSatisfying(NetioAbortedException.class,
                e -> assertThat(e.unsent()).isEqualTo(3));
    }

    @Test
    void shouldNotCountAsUnsentWhatWasAcknowledged() {
        Sinks.Many<ByteBuffer> source = Sinks.many().unicast().onBackpressureBuffer();
        source.tryEmitNext(message());
        CompletableFuture<Void> sent = send(source.asFlux());
        complete(0);
        source.tryEmitNext(message());
        turn();
        outbound.close(null, "the test");
        assertThat(sent.exceptionNow()).isInstanceOfSatisfying(NetioAbortedException.class,
                e -> assertThat(e.unsent()).isEqualTo(1));
    }

    @Test
    void shouldNotLoseTheBufferThatIsBeingFilledWhenTheSendIsCancelled() throws Exception {
        CountDownLatch filling = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        backend.whileFilling = () -> {
            filling.countDown();
            await(cancelled);
        };
        Sinks.Many<ByteBuffer> source = Sinks.many().unicast().onBackpressureBuffer();
        Disposable send = sending(source.asFlux(), true).subscribe();
        turn();
        Thread upstream = Thread.ofPlatform().start(() -> source.tryEmitNext(message()));
        await(filling);
        send.dispose();
        turn();
        cancelled.countDown();
        upstream.join();
        turn();
        for (int i = 0; i < backend.sent.size(); i++) {
            complete(i);
        }
        assertThat(backend.free).hasSize(BUFFERS);
    }

    /** Each of them may hold half of what is left, so that after a few of them nothing is. */
    @Test
    void shouldSendWhateverNumberOfSlowSendersHoldsTheBuffers() {
        List<Sinks.Many<ByteBuffer>> slow = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Sinks.Many<ByteBuffer> idle = Sinks.many().unicast().onBackpressureBuffer();
            send(idle.asFlux());
            slow.add(idle);
        }
        CompletableFuture<Void> last = send(Flux.range(0, 5).map(i -> message()));
        for (int i = 0; i < 5; i++) {
            assertThat(backend.sent).hasSize(i + 1);
            complete(i);
        }
        assertThat(last).isCompleted();
        slow.forEach(sink -> {
            sink.tryEmitNext(message());
            sink.tryEmitComplete();
        });
        turn();
        for (int i = 5; i < 25; i++) {
            assertThat(backend.sent).hasSizeGreaterThan(i);
            complete(i);
        }
        assertThat(backend.free).hasSize(BUFFERS);
    }

    @Test
    void shouldFailOnlyTheSendWhoseUpstreamThrowsAnError() {
        CompletableFuture<Void> broken = send(Flux.from(s -> s.onSubscribe(new Subscription() {
            @Override
            public void request(long n) {
                throw new LinkageError("on purpose");
            }

            @Override
            public void cancel() {
                // nothing to stop
            }
        })));
        CompletableFuture<Void> other = send(Flux.just(message()));
        assertThat(broken).isCompletedExceptionally();
        assertThat(broken.exceptionNow()).isInstanceOf(LinkageError.class);
        complete(0);
        assertThat(other).isCompleted();
    }

    /** Nobody asks for an acknowledgement then, so none may be waited for. */
    @Test
    void shouldSendAnyNumberOfMessagesThatNobodyWaitsToBeDelivered() {
        for (int i = 0; i < 20 * BUFFERS; i++) {
            CompletableFuture<Void> sent = sending(Flux.just(message()), false).toFuture();
            turn();
            assertThat(backend.sent).hasSize(i + 1);
            assertThat(backend.levels.get(i)).isEqualTo(SendCompletion.TRANSMITTED);
            assertThat(sent).isNotDone();
            complete(i);
            assertThat(sent).isCompleted();
        }
        CompletableFuture<Void> delivered = send(Flux.just(message()));
        assertThat(backend.levels.getLast()).isEqualTo(SendCompletion.DELIVERED);
        complete(20 * BUFFERS);
        assertThat(delivered).isCompleted();
    }

    @Test
    void shouldCountTheWindowAgainAsSoonAsSomebodyWaits() {
        int window = 4 * BUFFERS;
        Sinks.Many<ByteBuffer> source = Sinks.many().unicast().onBackpressureBuffer();
        send(source.asFlux());
        source.tryEmitNext(message());
        turn();
        assertThat(backend.levels).containsExactly(SendCompletion.DELIVERED);
        for (int i = 1; i < 2 * window; i++) { // the first is never acknowledged
            sending(Flux.just(message()), false).subscribe();
            turn();
            if (backend.sent.size() > i) {
                complete(i);
            }
        }
        assertThat(backend.sent).hasSize(window);
        complete(0);
        assertThat(backend.sent).hasSizeGreaterThan(window);
    }

    /** As where the provider's queue is shorter than there are buffers: then no turn ends with the last message posted. */
    @Test
    void shouldAskForAnAcknowledgementAlsoWhenEachTurnEndsWithoutResources() {
        backend.room = 2;
        send(Flux.range(0, 1_000).map(i -> message()));
        for (int i = 0; i < 8 * BUFFERS && !backend.levels.contains(SendCompletion.DELIVERED); i++) {
            backend.room = 2;
            int posted = backend.sent.size();
            for (int number = posted - Math.min(2, posted); number < posted; number++) {
                backend.free.add(backend.sent.get(number));
                outbound.onSendCompleted(SendKind.BUFFERED, backend.sent.get(number).key());
            }
            outbound.onResourcesAvailable();
            turn();
        }
        assertThat(backend.levels).last().isEqualTo(SendCompletion.DELIVERED);
        assertThat(backend.sent).hasSizeBetween(4 * BUFFERS, 4 * BUFFERS + 3);
    }

    @Test
    void shouldVouchForWhoWaitsWithTheMessageOfOneWhoDoesNot() {
        Sinks.Many<ByteBuffer> one = Sinks.many().unicast().onBackpressureBuffer();
        one.tryEmitNext(message());
        Sinks.Many<ByteBuffer> other = Sinks.many().unicast().onBackpressureBuffer();
        other.tryEmitNext(message());
        CompletableFuture<Void> delivered = sending(one.asFlux(), true).toFuture();
        CompletableFuture<Void> transmitted = sending(other.asFlux(), false).toFuture();
        one.tryEmitComplete();
        other.tryEmitComplete();
        turn();
        assertThat(backend.levels).containsExactly(SendCompletion.TRANSMITTED, SendCompletion.DELIVERED);
        complete(0);
        assertThat(delivered).isNotDone();
        complete(1);
        assertThat(delivered).isCompleted();
        assertThat(transmitted).isCompleted();
    }

    @Test
    void shouldCountWhatHasNotLeftWhenNobodyWaitsForDelivery() {
        Sinks.Many<ByteBuffer> source = Sinks.many().unicast().onBackpressureBuffer();
        CompletableFuture<Void> sent = sending(source.asFlux(), false).toFuture();
        for (int i = 0; i < 3; i++) {
            source.tryEmitNext(message());
        }
        turn();
        complete(1);
        outbound.close(null, "the test");
        assertThat(sent.exceptionNow()).isInstanceOfSatisfying(NetioAbortedException.class,
                e -> assertThat(e.unsent()).isEqualTo(2)).hasMessageContaining("not known to be transmitted");
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldGoOnBesideASendThatIsTriedAgainForEverAfterTheEnd() {
        outbound.close(null, "closed");
        int[] tries = new int[1];
        Disposable trying = Flux.defer(() -> {
            tries[0]++;
            return sending(Flux.just(message()), true);
        }).retry(100_000).subscribe(nothing -> { }, error -> { });
        turn();
        assertThat(tries[0]).isBetween(2, 10_000);
        trying.dispose();
    }
}
