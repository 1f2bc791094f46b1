// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.Lease;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Pages of random messages from several senders, over a wire that is cut or reset at any byte: of each sender an exact prefix
 * arrives, and the stream completes only if everything has. {@code -Dnetio.test.seed=N} runs one seed alone.
 */
@Timeout(300)
class PageSeedsTest {
    private static final int SEEDS = Integer.getInteger("netio.test.seeds", 60);
    private static final Long ONE = Long.getLong("netio.test.seed");
    private static final FaultyProxy.Fault[] FAULTS = {FaultyProxy.Fault.NONE, FaultyProxy.Fault.CUT, FaultyProxy.Fault.RESET};

    private static final NetioLoops LOOPS = NetioLoops.create("page-seeds", 2);

    private interface Seeded {
        void run(Random random) throws Exception;
    }

    @AfterAll
    static void stop() {
        LOOPS.dispose();
    }

    private static void forAll(Seeded test) {
        for (long seed = ONE == null ? 0 : ONE; seed < (ONE == null ? SEEDS : ONE + 1); seed++) {
            try {
                test.run(new Random(seed));
            } catch (AssertionError | Exception e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldDeliverAnExactPrefixOfEachSender(BackendType backend) {
        forAll(random -> transfer(backend, random));
    }

    private static void transfer(BackendType backend, Random random) throws Exception {
        int senders = 1 + random.nextInt(4);
        int[] counts = random.ints(senders, 0, 400).toArray();
        int most = 1 + random.nextInt(random.nextBoolean() ? 20 : 500);
        int page = 512 + random.nextInt(1024);
        long off = random.nextLong();
        NetioServer server = NetioServer.create().backend(backend)
                .framing(Framing.page().endSignal(EndSignal.EMPTY_MESSAGE).watermark(1 + random.nextInt(page))
                .flushInterval(random.nextBoolean() ? Duration.ZERO : Duration.ofNanos(random.nextInt(2_000_000)))).runOn(LOOPS)
                .receiveBuffers(page, 2).sendBuffers(page, 1 + random.nextInt(6));
        DisposableServer listening = server.handle((in, out) -> Flux.range(0, senders).flatMap(i ->
                        out.completion((off >> i + 8 & 1) == 0 ? SendCompletion.DELIVERED : SendCompletion.TRANSMITTED)
                                .sendTagged(messages(i, counts[i], most).transform(all -> (off >> i & 1) == 0 ? all
                                        : all.subscribeOn(Schedulers.parallel()))), senders)
                .then(out.completeOutbound()).then(Mono.never())).bindNow(); // the client closes
        FaultyProxy.Fault fault = FAULTS[random.nextInt(FAULTS.length)];
        try (FaultyProxy proxy = new FaultyProxy(new InetSocketAddress("127.0.0.1", listening.port()), fault,
                random.nextInt(4) == 0, random.nextInt(senders * 200 * most))) {
            Receiver receiver = new Receiver(counts, most, 1 + random.nextInt(60));
            NetioConnection client;
            try {
                client = NetioClient.create().backend(backend).framing(Framing.page().endSignal(EndSignal.EMPTY_MESSAGE))
                        .runOn(LOOPS).receiveBuffers(page, 1 + random.nextInt(6)).sendBuffers(page, 1)
                        .port(proxy.port()).connectTimeout(Duration.ofSeconds(2)).connectNow();
            } catch (RuntimeException e) {
                return; // hurt before it began
            }
            (random.nextBoolean() ? client.receiveTagged() : leased(client)).subscribe(receiver);
            receiver.check();
            client.dispose();
        } finally {
            listening.dispose();
        }
    }

    private static Flux<TaggedMessage> leased(NetioConnection connection) {
        return connection.receiveLeased().map(lease -> {
            try (lease) {
                ByteBuffer data = lease.buffer();
                return new TaggedMessage(lease.tag(), lease.status(), ByteBuffer.allocate(data.remaining()).put(data).flip());
            }
        });
    }

    private static Flux<TaggedMessage> messages(int sender, int count, int most) {
        return Flux.range(0, count).map(n -> message(sender, n, most));
    }

    /** Its size, status and every byte follow from these numbers. */
    private static TaggedMessage message(int sender, int number, int most) {
        Random bytes = new Random(31L * sender + number);
        byte[] content = new byte[1 + bytes.nextInt(Math.max(1, most - 1))];
        bytes.nextBytes(content);
        return new TaggedMessage(sender, bytes.nextInt(3), ByteBuffer.wrap(content));
    }

    private static final class Receiver extends BaseSubscriber<TaggedMessage> {
        private final int[] counts;
        private final int[] received;
        private final int most;
        private final int batch;
        private final CountDownLatch over = new CountDownLatch(1);
        private final AtomicInteger ends = new AtomicInteger();
        private int all;
        private boolean complete;
        private String wrong = "";

        Receiver(int[] counts, int most, int batch) {
            this.counts = counts;
            this.received = new int[counts.length];
            this.most = most;
            this.batch = batch;
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            request(batch);
        }

        @Override
        protected void hookOnNext(TaggedMessage value) {
            int sender = (int) value.tag();
            if (ends.get() > 0 || !value.equals(message(sender, received[sender], most))) {
                wrong = "message " + received[sender] + " of " + sender + " is another, or late";
            }
            received[sender]++;
            if (++all % batch == 0) {
                request(batch);
            }
        }

        @Override
        protected void hookOnComplete() {
            complete = true;
            ends.incrementAndGet();
            over.countDown();
        }

        @Override
        protected void hookOnError(Throwable throwable) {
            ends.incrementAndGet();
            over.countDown();
        }

        void check() throws InterruptedException {
            assertThat(over.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as("the stream ends; it has %s of %s", received, counts).isTrue();
            assertThat(wrong).isEmpty();
            assertThat(ends).hasValue(1);
            for (int i = 0; i < counts.length; i++) {
                assertThat(received[i]).isLessThanOrEqualTo(counts[i]);
            }
            if (complete) {
                assertThat(received).as("complete").isEqualTo(counts);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldReadAnyBytesOrRefuseThem(BackendType backend) {
        forAll(random -> {
            boolean leases = random.nextBoolean();
            CompletableFuture<String> end = new CompletableFuture<>();
            DisposableServer listening = NetioServer.create().backend(backend)
                    .framing(Framing.page().endSignal(EndSignal.PEER_CLOSE)).runOn(LOOPS)
                    .receiveBuffers(256, 4)
                    .handle((in, out) -> (leases ? in.receiveLeased().doOnNext(Lease::release) : in.receive()).then()
                            .doOnSuccess(nothing -> end.complete("complete"))
                            .doOnError(error -> end.complete(error.getClass().getSimpleName()))).bindNow();
            NetioConnection raw = NetioClient.create().backend(backend).framing(Framing.raw()).runOn(LOOPS)
                    .port(listening.port()).connectNow();
            Flux<ByteBuffer> pages = Flux.range(0, 20).map(n -> {
                byte[] page = new byte[random.nextInt(256)];
                random.nextBytes(page);
                for (int i = 0; i + 4 <= page.length; i += 1 + random.nextInt(16)) { // lengths that may be right
                    page[i + 1] = 0;
                    page[i + 2] = 0;
                    page[i + 3] &= (byte) 0xc0;
                    page[i] &= 0x1f;
                }
                if (page.length > 3) {
                    page[3] |= (byte) 0x80;
                }
                return ByteBuffer.wrap(page);
            });
            raw.send(pages).onErrorComplete().block(PATIENCE);
            raw.dispose();
            assertThat(end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isIn("complete",
                    NetioProtocolException.class.getSimpleName());
            listening.disposeNow(PATIENCE);
        });
    }
}
