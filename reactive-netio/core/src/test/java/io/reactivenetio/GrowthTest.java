// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.connection.ConnectionProbe.engine;
import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.Lease;
import io.reactivenetio.api.NetioRequester;
import io.reactivenetio.api.NetioStream;
import io.reactivenetio.framing.stream.StreamProbe;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.Exceptions;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What a connection keeps does not grow with what was once done on it, nor with how often it is told something. */
@Timeout(180)
class GrowthTest extends TwoEnds {
    private static final int TAGS = 200;

    GrowthTest() {
        super(1);
    }

    @BeforeEach
    void connect() {
        connect(BackendType.TCP, s -> s, c -> c);
    }

    /** The loop does nothing else while {@code what} runs here. */
    private void whileTheLoopIsBusy(Runnable what) throws InterruptedException {
        CountDownLatch busy = new CountDownLatch(1);
        AtomicBoolean done = new AtomicBoolean();
        engine(client).loop().execute(() -> {
            busy.countDown();
            boolean go = false;
            while (!go) { // without Thread.onSpinWait, which BlockHound takes for a wait
                go = done.get();
            }
        });
        busy.await();
        try {
            what.run();
        } finally {
            done.set(true);
        }
    }

    private void awaitNoPorts() {
        Link.await(() -> StreamProbe.ports(engine(server)) == 0,
                () -> StreamProbe.ports(engine(server)) + " tags are known");
    }

    private static Flux<ByteBuffer> some() {
        return Flux.just(ByteBuffer.allocate(8));
    }

    @ParameterizedTest
    @ValueSource(strings = {"completed", "cancelled by the peer", "failed", "given up"})
    void shouldForgetATagThatNobodySendsToAnyMore(String how) {
        for (long tag = 1; tag <= TAGS; tag++) {
            NetioStream out = server.stream(tag);
            NetioStream in = client.stream(tag);
            switch (how) {
                case "completed" -> {
                    out.send(some()).then(out.completeOutbound()).subscribe();
                    assertThat(in.receive().count().block(PATIENCE)).isEqualTo(1);
                }
                case "cancelled by the peer" -> {
                    out.send(some().concatWith(Flux.never())).subscribe(nothing -> { }, error -> { });
                    assertThat(in.receive().next().block(PATIENCE)).isNotNull();
                }
                case "failed" -> {
                    Disposable receiver = in.receive().subscribe(message -> { }, error -> { });
                    assertThat(out.send(Flux.error(new IllegalStateException("test"))).then(Mono.just(1))
                            .onErrorReturn(2).block(PATIENCE)).isEqualTo(2);
                    receiver.dispose();
                }
                default -> out.send(Flux.never()).subscribe().dispose();
            }
        }
        awaitNoPorts();
    }

    @Test
    void shouldForgetACompletionThatIsGivenUp() {
        for (long tag = 1; tag <= TAGS; tag++) {
            server.stream(tag).completeOutbound().subscribe().dispose();
        }
        awaitNoPorts();
        server.stream(7).send(some()).subscribe();
        assertThat(client.stream(7).receive().take(1).count().block(PATIENCE)).as("not completed before").isEqualTo(1);
    }

    @Test
    void shouldKnowATagAsLongAsItIsUsed() {
        NetioStream out = server.stream(7);
        Mono<Void> send = out.send(some());
        assertThat(StreamProbe.ports(engine(server))).as("before anything is subscribed to").isZero();
        AtomicInteger sent = new AtomicInteger();
        send.doOnSuccess(nothing -> sent.incrementAndGet()).subscribe();
        out.completeOutbound().doOnSuccess(nothing -> sent.incrementAndGet()).subscribe();
        assertThat(StreamProbe.ports(engine(server))).as("the peer may subscribe").isEqualTo(1);
        assertThat(client.stream(7).receive().count().block(PATIENCE)).isEqualTo(1);
        Link.await(() -> sent.get() == 2, () -> sent + " of 2");
        awaitNoPorts();
    }

    private static final class Asking extends BaseSubscriber<Object> {
        private final AtomicInteger got = new AtomicInteger();

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            // asked from outside
        }

        @Override
        protected void hookOnNext(Object value) {
            got.incrementAndGet();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldQueueOneTaskForManyRequests(boolean leased) throws InterruptedException {
        Asking subscriber = new Asking();
        if (leased) {
            client.receiveLeased(leases -> leases.doOnNext(Lease::close)).subscribe(subscriber);
        } else {
            client.receive().subscribe(subscriber);
        }
        EventLoop loop = engine(client).loop();
        AtomicInteger ready = new AtomicInteger();
        loop.execute(ready::incrementAndGet); // after the subscription
        Link.await(() -> ready.get() == 1, () -> "subscribed");
        long before = loop.statistics().tasksRun();
        whileTheLoopIsBusy(() -> {
            for (int i = 0; i < 10_000; i++) {
                subscriber.request(1);
            }
        });
        loop.execute(ready::incrementAndGet);
        Link.await(() -> ready.get() == 2, () -> "what was requested is known");
        assertThat(loop.statistics().tasksRun() - before).isLessThan(100);
        server.send(Flux.range(0, 10_001).map(n -> ByteBuffer.allocate(4).putInt(0, n))).subscribe(nothing -> { }, error -> { });
        Link.await(() -> subscriber.got.get() == 10_000, () -> subscriber.got + " of 10,000");
        subscriber.request(Long.MAX_VALUE);
        subscriber.request(Long.MAX_VALUE);
        Link.await(() -> subscriber.got.get() == 10_001, () -> subscriber.got + " of 10,001");
    }

    /** Also while the loop has not seen that they are: who gives up quickly must not be refused for it. */
    @Test
    void shouldFreeThePlacesOfRequestsThatAreCancelled() throws InterruptedException {
        NetioRequester requester = client.requester(7);
        List<Throwable> errors = new CopyOnWriteArrayList<>();
        AtomicInteger answers = new AtomicInteger();
        whileTheLoopIsBusy(() -> {
            for (int i = 0; i < 3 * NetioRequester.MOST_WAITING; i++) {
                requester.request(ByteBuffer.allocate(8)).subscribe(answer -> answers.incrementAndGet(), errors::add).dispose();
            }
            for (int i = 0; i < NetioRequester.MOST_WAITING; i++) {
                requester.request(ByteBuffer.allocate(8)).subscribe(answer -> answers.incrementAndGet(), errors::add);
            }
        });
        server.respond(7, request -> Mono.just(ByteBuffer.allocate(1))).subscribe();
        Link.await(() -> answers.get() == NetioRequester.MOST_WAITING, () -> answers + " answers, " + errors.size() + " errors");
        assertThat(errors).isEmpty();
    }

    /** Payloads are copied for those only that may wait. */
    @Test
    void shouldRefuseRequestsBeforeTheyPileUp() throws InterruptedException {
        NetioRequester requester = client.requester(7);
        List<Throwable> errors = new CopyOnWriteArrayList<>();
        AtomicInteger answers = new AtomicInteger();
        List<Disposable> asked = new ArrayList<>();
        whileTheLoopIsBusy(() -> {
            for (int i = 0; i < NetioRequester.MOST_WAITING + 10; i++) {
                asked.add(requester.request(ByteBuffer.allocate(8)).subscribe(answer -> answers.incrementAndGet(), errors::add));
            }
            assertThat(errors).hasSize(10).allMatch(Exceptions::isOverflow);
        });
        asked.subList(0, 24).forEach(Disposable::dispose);
        server.respond(7, request -> Mono.just(ByteBuffer.allocate(1))).subscribe();
        Link.await(() -> answers.get() == NetioRequester.MOST_WAITING - 24, () -> answers + " answers");
        AtomicInteger later = new AtomicInteger();
        whileTheLoopIsBusy(() -> { // all places are free again
            for (int i = 0; i < NetioRequester.MOST_WAITING; i++) {
                requester.request(ByteBuffer.allocate(8)).subscribe(answer -> later.incrementAndGet(), errors::add);
            }
        });
        Link.await(() -> later.get() == NetioRequester.MOST_WAITING, () -> later + " answers, " + errors.size() + " errors");
        assertThat(errors).hasSize(10);
    }
}
