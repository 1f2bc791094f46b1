// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioStream;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.transport.BackendType;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Streams over a wire that is cut, reset, stalled or corrupted at any byte, and sides that close at any time: every stream ends
 * exactly once, what it delivered is an exact prefix of what was sent, and only a whole one completes. The seed of a failure is
 * in its message; {@code -Dnetio.test.seed=N} runs that one alone.
 */
@Timeout(300)
class StreamSeedsTest {
    private static final int SEEDS = Integer.getInteger("netio.test.seeds", 300);
    private static final Long ONE = Long.getLong("netio.test.seed");
    /** They mostly wait: for a peer that has stalled to be found dead. */
    private static final int AT_A_TIME = 6;

    private static final NetioLoops LOOPS = NetioLoops.create("seeds", 2);
    /** Streams that came to their end, and others. */
    private static final AtomicInteger WHOLE = new AtomicInteger();
    private static final AtomicInteger BROKEN = new AtomicInteger();

    @AfterAll
    static void stop() {
        LOOPS.dispose();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldEndEveryStreamOnceAndTruly(BackendType backend) throws Exception {
        if (ONE != null) {
            run(backend, ONE);
            return;
        }
        WHOLE.set(0);
        BROKEN.set(0);
        AtomicLong next = new AtomicLong();
        try (ExecutorService players = Executors.newFixedThreadPool(AT_A_TIME)) {
            List<Future<Void>> games = new ArrayList<>();
            for (int i = 0; i < AT_A_TIME; i++) {
                games.add(players.submit(() -> {
                    for (long seed = next.getAndIncrement(); seed < SEEDS; seed = next.getAndIncrement()) {
                        run(backend, seed);
                    }
                    return null;
                }));
            }
            for (Future<Void> game : games) {
                game.get();
            }
        }
        System.out.printf("%s: of the streams of %d connections, %s were whole and %s were not%n", backend, SEEDS, WHOLE, BROKEN);
        assertThat(WHOLE.get()).as("whole").isGreaterThan(SEEDS / 4);
        assertThat(BROKEN.get()).as("broken").isGreaterThan(SEEDS / 4);
    }

    private static void run(BackendType backend, long seed) {
        try {
            new Run(backend, new Random(seed)).play();
        } catch (AssertionError | Exception e) {
            throw new AssertionError("seed " + seed + " over " + backend + ": " + e.getMessage(), e);
        }
    }

    /** One connection, its streams and what happens to it. */
    private static final class Run {
        private final BackendType backend;
        private final Random random;
        private final List<Receiver> receivers = new ArrayList<>();
        private final AtomicInteger sends = new AtomicInteger();
        private final AtomicInteger sent = new AtomicInteger();

        Run(BackendType backend, Random random) {
            this.backend = backend;
            this.random = random;
        }

        void play() throws Exception {
            int streams = 1 + random.nextInt(6);
            int[] counts = random.ints(streams, 0, 200).toArray();
            int most = 1 << random.nextInt(13);
            int bytes = most * (1 + counts[0]) * streams / 2;
            FaultyProxy.Fault fault = FaultyProxy.Fault.values()[random.nextInt(FaultyProxy.Fault.values().length)];
            if (fault == FaultyProxy.Fault.CORRUPT && backend == BackendType.LIBFABRIC) {
                fault = FaultyProxy.Fault.CUT; // the provider trusts the headers of its own
            }
            DisposableServer server = NetioServer.create().backend(backend).framing(Framing.stream().checksums(true)).runOn(LOOPS)
                    .receiveBuffers(1024, 4).sendBuffers(1024, 4).keepAlive(Duration.ofMillis(300))
                    .handle((in, out) -> {
                        NetioConnection connection = (NetioConnection) out;
                        return Flux.range(0, streams).flatMap(i -> {
                            NetioStream stream = connection.stream(i);
                            sends.incrementAndGet();
                            return stream.send(messages(i, counts[i], most)).then(stream.completeOutbound())
                                    .onErrorComplete().doOnTerminate(sent::incrementAndGet);
                        }, streams).then(Mono.never()); // the client closes
                    }).bindNow();
            try (FaultyProxy proxy = new FaultyProxy(new InetSocketAddress("127.0.0.1", server.port()), fault,
                    random.nextInt(4) == 0, random.nextInt(Math.max(1, bytes)))) {
                play(proxy, counts, most);
            } finally {
                server.dispose();
            }
        }

        private void play(FaultyProxy proxy, int[] counts, int most) throws InterruptedException {
            NetioConnection client;
            try {
                client = NetioClient.create().backend(backend).framing(Framing.stream().checksums(true)).runOn(LOOPS)
                        .port(proxy.port())
                        .receiveBuffers(1024, 4).sendBuffers(1024, 4).keepAlive(Duration.ofMillis(300))
                        .connectTimeout(Duration.ofMillis(500)).connect().block(PATIENCE);
            } catch (RuntimeException e) {
                return; // hurt before it began
            }
            boolean closes = random.nextInt(8) == 0;
            for (int i = 0; i < counts.length; i++) {
                Receiver receiver = new Receiver(i, counts[i], most, 1 + random.nextInt(40), random.nextBoolean());
                receivers.add(receiver);
                client.stream(i).receive().subscribe(receiver);
            }
            if (closes) {
                // so that the close meets it in different states
                Eventually.within(Duration.ofMillis(random.nextInt(5)), () -> sends.get() > 0 && sent.get() == sends.get());
                client.dispose();
            }
            for (Receiver receiver : receivers) {
                receiver.check();
            }
            client.dispose();
            client.onDispose().block(PATIENCE);
            Link.await(() -> sent.get() == sends.get(), () -> sent + " of " + sends + " sends have ended");
            for (Receiver receiver : receivers) {
                receiver.check();
                (receiver.complete ? WHOLE : BROKEN).incrementAndGet();
            }
        }
    }

    private static Flux<ByteBuffer> messages(int stream, int count, int most) {
        return Flux.range(0, count).map(n -> message(stream, n, most));
    }

    /** Its size and every byte follow from these numbers. */
    private static ByteBuffer message(int stream, int number, int most) {
        Random bytes = new Random(31L * stream + number);
        byte[] content = new byte[bytes.nextInt(most)];
        bytes.nextBytes(content);
        return ByteBuffer.wrap(content);
    }

    /** No BaseSubscriber: that would hide a second end. */
    private static final class Receiver implements CoreSubscriber<ByteBuffer> {
        private final int stream;
        private final int count;
        private final int most;
        private final int batch;
        private final boolean slow;
        private final CountDownLatch over = new CountDownLatch(1);
        private final AtomicInteger ends = new AtomicInteger();
        private Subscription upstream;
        private int received;
        private boolean complete;
        private String wrong = "";

        Receiver(int stream, int count, int most, int batch, boolean slow) {
            this.stream = stream;
            this.count = count;
            this.most = most;
            this.batch = batch;
            this.slow = slow;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            upstream = subscription;
            subscription.request(batch);
        }

        @Override
        public void onNext(ByteBuffer value) {
            if (ends.get() > 0) {
                wrong = "a message after the end";
            }
            if (!value.equals(message(stream, received, most))) {
                wrong = "message " + received + " is another";
            }
            received++;
            if (slow || received % batch == 0) {
                upstream.request(slow ? 1 : batch);
            }
        }

        @Override
        public void onComplete() {
            complete = true;
            ends.incrementAndGet();
            over.countDown();
        }

        @Override
        public void onError(Throwable throwable) {
            ends.incrementAndGet();
            over.countDown();
        }

        void check() throws InterruptedException {
            assertThat(over.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as("stream %s of %s messages ends; it has %s", stream,
                    count, received).isTrue();
            assertThat(wrong).isEmpty();
            assertThat(ends).hasValue(1);
            assertThat(received).isLessThanOrEqualTo(count);
            if (complete) {
                assertThat(received).as("complete").isEqualTo(count);
            }
        }
    }
}
