// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.reactivenetio.Framing;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioCodec;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioRegion;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.api.RegionSlice;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.micro.FramingKind;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.SequencedMessage;
import io.reactivenetio.testing.AtFullScale;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.SendCompletion;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Iterator;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SynchronousSink;
import reactor.core.scheduler.Schedulers;

/**
 * What the loops' threads allocate for small messages, once everything is compiled: nothing, but for the copies of {@code
 * receive()}. 300,000 messages after a second of others, or an eighth of both in the ordinary run, unless {@code
 * -Dnetio.test.messages=10000000} says otherwise.
 */
@Timeout(600)
class AllocationTest {
    private static final ThreadMXBean THREADS = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
    private static final Duration PATIENCE = Duration.ofSeconds(500);
    private static final int MESSAGES = Integer.getInteger("netio.test.messages", TestSettings.scaled(300_000));
    /**
     * System calls are few per message, so it takes some time until all that makes them is compiled. What is measured too early
     * is measured again.
     */
    private static final long WARM_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(TestSettings.scaled(1000));
    /** What allocates until then does so for ever. */
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(90);
    /** Messages between two looks at the counter. */
    private static final int STRETCH = 16 * 1024;
    private static final int SIZE = 64;
    /** Bytes of a page, and of a message that needs two. */
    private static final int PAGE = 2048;
    private static final int IN_PARTS = 3000;
    private static final Tags SEVEN = Tags.of(7);
    /** Messages of this size share a page in such numbers that it takes more of them until what is done per page is compiled. */
    private static final long IN_PAGES = 10L * MESSAGES;
    /**
     * Bytes per message that the JVM itself may need, less than one object in ten messages would be: to compile something anew,
     * once, and where system calls carry the messages, a segment for each that captures errno, if C2 leaves it in.
     */
    private static final double NOISE = 1.5;
    /** The same where only a few messages share a system call: less than the smallest object for each message would be. */
    private static final double NOISE_OF_FEW = 8;

    private final NetioLoops sendingLoops = NetioLoops.create("sending", 1);
    private final NetioLoops receivingLoops = NetioLoops.create("receiving", 1);

    @AfterEach
    void stop() {
        sendingLoops.dispose();
        receivingLoops.dispose();
    }

    /**
     * Counts messages on one thread, and the bytes that this thread allocates once it has been at it for a while. A compiler that
     * has to share its processor may be late: if the messages seem to need something, it looks again, until {@link #LIMIT_NANOS}
     * are over.
     */
    private static final class Meter {
        private final BackendType backend;
        private final double allowed;
        private final double noise;
        private final long enough;
        private long messages;
        private long began;
        private boolean measuring;
        private long before;
        private long last;
        private int stretches;
        private int exact;
        private Object kept;
        private volatile boolean done;

        /** {@code allowed} bytes per message are no surprise. */
        Meter(BackendType backend, double allowed) {
            this(backend, allowed, MESSAGES);
        }

        Meter(BackendType backend, double allowed, long enough) {
            this(backend, allowed, enough, NOISE);
        }

        Meter(BackendType backend, double allowed, long enough, double noise) {
            this.backend = backend;
            this.allowed = allowed;
            this.enough = enough;
            this.noise = noise;
        }

        /** {@code message} is kept until the next, so that the compiler cannot do without it. */
        void count(Object message) {
            kept = message;
            if (++messages % STRETCH != 0 || done) {
                return;
            }
            long now = System.nanoTime();
            if (began == 0) {
                began = now;
            }
            long allocated = THREADS.getCurrentThreadAllocatedBytes();
            if (measuring) {
                stretches++;
                exact += allocated - last == allowed * STRETCH ? 1 : 0;
            }
            last = allocated;
            boolean measured = measuring && (long) stretches * STRETCH >= enough;
            if (measured && (isAsAllowed() || now - began > LIMIT_NANOS)) {
                done = true;
            } else if (measured || !measuring && now - began > WARM_UP_NANOS) {
                measuring = true;
                before = allocated;
                stretches = 0;
                exact = 0;
            }
        }

        boolean isDone() {
            return done;
        }

        private double perMessage() {
            return (double) (last - before) / ((long) stretches * STRETCH);
        }

        private boolean isAsAllowed() {
            return Math.abs(perMessage() - allowed) <= noise && (!isExact() || exact > stretches / 2);
        }

        /** Where nothing else is needed. */
        private boolean isExact() {
            return backend == BackendType.LIBFABRIC;
        }

        void verify(String what) {
            assertThat(done).isTrue();
            System.out.printf(Locale.ROOT, "%s, %s: %.4f bytes allocated per message, exactly %.0f in %d of %d stretches of %d%n",
                    backend, what, perMessage(), allowed, exact, stretches, STRETCH);
            assertThat(kept).isNotNull();
            assertThat(perMessage()).isBetween(allowed - noise, allowed + noise);
            if (isExact()) {
                assertThat(exact).as("stretches without anything else").isGreaterThan(stretches / 2);
            }
        }
    }

    /** Leaves the others to the full run. */
    private static void requireOneBackend(BackendType backend) {
        Assumptions.assumeTrue(TestSettings.FULL || backend == BackendType.TCP, AtFullScale.REASON);
    }

    /** Sends and receives until both meters have seen enough. */
    private void run(BackendType backend, Function<NetioConnection, Flux<?>> receive, Meter received,
            Function<Outgoing, Mono<Void>> send, Meter sent) {
        run(backend, FramingKind.RAW, receive, received, send, sent);
    }

    private void run(BackendType backend, FramingKind framing, Function<NetioConnection, Flux<?>> receive, Meter received,
            Function<Outgoing, Mono<Void>> send, Meter sent) {
        try (NetioRegion region = NetioRegion.allocate(1 << 20)) {
            Framing used = switch (framing) {
                case RAW -> Framing.raw().endSignal(EndSignal.EMPTY_MESSAGE).region(region);
                case PAGE -> Framing.page().endSignal(EndSignal.EMPTY_MESSAGE);
                case STREAM -> Framing.stream();
            };
            NetioServer server = NetioServer.create().backend(backend).framing(used).runOn(receivingLoops);
            NetioClient client = NetioClient.create().backend(backend).framing(used).runOn(sendingLoops);
            run(server, client, region, receive, received, send, sent);
        }
    }

    private void run(NetioServer on, NetioClient client, NetioRegion region, Function<NetioConnection, Flux<?>> receive,
            Meter received, Function<Outgoing, Mono<Void>> send, Meter sent) {
        CompletableFuture<NetioConnection> accepted = new CompletableFuture<>();
        DisposableServer server = on.doOnConnection(accepted::complete).bindNow();
        NetioConnection sending = client.port(server.port()).connectNow();
        NetioConnection receiving = accepted.orTimeout(60, TimeUnit.SECONDS).join();
        CompletableFuture<Void> all = receive.apply(receiving).doOnNext(received::count).then().toFuture();
        Outgoing outgoing = new Outgoing(sending, region, sent, received);
        send.apply(outgoing).then(sending.completeOutbound()).subscribeOn(sending.scheduler()).block(PATIENCE);
        all.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    /** Messages to send that allocate nothing of themselves. */
    private static final class Outgoing {
        final NetioConnection connection;
        private final Meter sent;
        private final Meter received;
        private final ByteBuffer message = ByteBuffer.allocateDirect(SIZE);
        private final Batch batch = new Batch(message);
        private final RegionSlice[] slices = new RegionSlice[1024];

        Outgoing(NetioConnection connection, NetioRegion region, Meter sent, Meter received) {
            this.connection = connection;
            this.sent = sent;
            this.received = received;
            for (int i = 0; i < slices.length; i++) {
                slices[i] = region.slice((long) i * SIZE, SIZE);
            }
        }

        void next(SynchronousSink<ByteBuffer> sink) {
            if (sent.isDone() && received.isDone()) {
                sink.complete();
            } else {
                sent.count(message);
                sink.next(message);
            }
        }

        void nextBatch(SynchronousSink<Batch> sink) {
            if (sent.isDone() && received.isDone()) {
                sink.complete();
            } else {
                sink.next(batch);
            }
        }

        void encode(ByteBuffer value, ByteBuffer target) {
            sent.count(value);
            target.put(target.position(), value, 0, SIZE).position(target.position() + SIZE);
        }

        void nextSlice(SynchronousSink<RegionSlice> sink) {
            if (sent.isDone() && received.isDone()) {
                sink.complete();
            } else {
                RegionSlice slice = slices[(int) sent.messages % slices.length];
                sent.count(slice);
                sink.next(slice);
            }
        }
    }

    /** One message again and again. It is its own iterator, as one batch is read after the other. */
    private static final class Batch implements Iterable<ByteBuffer>, Iterator<ByteBuffer> {
        private static final int VALUES = 500;

        private final ByteBuffer message;
        private int next;

        Batch(ByteBuffer message) {
            this.message = message;
        }

        @Override
        public Iterator<ByteBuffer> iterator() {
            next = 0;
            return this;
        }

        @Override
        public boolean hasNext() {
            return next < VALUES;
        }

        @Override
        public ByteBuffer next() {
            next++;
            return message;
        }
    }

    /** How many bytes {@code make} allocates for the object that it makes. */
    private static double sizeOf(Supplier<Object> make) {
        Object[] kept = new Object[1000];
        kept[0] = make.get(); // and not what the class itself needs
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < kept.length; i++) {
            kept[i] = make.get();
        }
        long after = THREADS.getCurrentThreadAllocatedBytes();
        assertThat(kept).doesNotContainNull();
        return (double) (after - before) / kept.length;
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldAllocateNothingForEachMessageThatIsDecodedInPlace(BackendType backend) {
        Meter received = new Meter(backend, 0);
        Meter sent = new Meter(backend, 0);
        run(backend, in -> in.receive(message -> Boolean.TRUE), received,
                out -> out.connection.send(Flux.generate(out::next)), sent);
        received.verify("receive(decoder)");
        sent.verify("send");
    }

    @ParameterizedTest
    @CsvSource({"LIBFABRIC, PAGE", "TCP, PAGE", "LIBFABRIC, STREAM", "TCP, STREAM"})
    void shouldAllocateNothingForEachMessageInAPage(BackendType backend, FramingKind framing) {
        boolean isPair = backend == BackendType.TCP == (framing == FramingKind.STREAM); // each backend and each framing once
        Assumptions.assumeTrue(TestSettings.FULL || isPair, AtFullScale.REASON);
        Meter received = new Meter(backend, 0, IN_PAGES);
        Meter sent = new Meter(backend, 0, IN_PAGES);
        run(backend, framing, in -> in.receive(message -> Boolean.TRUE), received,
                out -> out.connection.send(Flux.generate(out::next)), sent);
        received.verify("receive(decoder) with framing " + framing);
        sent.verify("send with framing " + framing);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldAllocateNothingForEachMessageOfABatch(BackendType backend) {
        requireOneBackend(backend);
        Meter received = new Meter(backend, 0, IN_PAGES);
        Meter sent = new Meter(backend, 0, IN_PAGES);
        run(backend, FramingKind.STREAM, in -> in.receiveBatches().filter(batch -> {
            while (batch.next()) {
                received.count(batch.data());
            }
            return false;
        }), received, out -> out.connection.sendBatches(Flux.generate(out::nextBatch), NetioEncoder.ofSize(SIZE, out::encode)),
                sent);
        received.verify("receiveBatches()");
        sent.verify("sendBatches()");
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldAllocateOnlyTheViewOfEachMessageThatArrivesInParts(BackendType backend) {
        requireOneBackend(backend); // over libfabric it waits for compilers
        ByteBuffer whole = ByteBuffer.allocate(IN_PARTS); // memory that is used again, of which the decoder is shown a view
        Meter received = new Meter(backend, sizeOf(() -> whole.slice(0, IN_PARTS)), MESSAGES, NOISE_OF_FEW);
        ByteBuffer message = ByteBuffer.allocateDirect(IN_PARTS);
        try (NetioRegion region = NetioRegion.allocate(1 << 20)) {
            run(NetioServer.create().backend(backend).runOn(receivingLoops).receiveBuffers(PAGE, 32),
                    NetioClient.create().backend(backend).runOn(sendingLoops).sendBuffers(PAGE, 32), region,
                    in -> in.receive(payload -> Boolean.TRUE), received, out -> out.connection.send(Flux.generate(sink -> {
                        if (received.isDone()) {
                            sink.complete();
                        } else {
                            sink.next(message);
                        }
                    })), received);
        }
        received.verify("receive(decoder) of messages in parts");
    }

    /** A value that is sent and received with its codec. */
    public record Hit(long time, int channel, short charge) {
    }

    @ParameterizedTest
    @CsvSource({"LIBFABRIC, RAW", "LIBFABRIC, PAGE", "LIBFABRIC, STREAM", "TCP, STREAM"})
    void shouldAllocateOnlyTheRecordForEachMessageThatIsOne(BackendType backend, FramingKind framing) {
        long enough = framing == FramingKind.RAW ? MESSAGES : IN_PAGES;
        Meter received = new Meter(backend, sizeOf(() -> new Hit(1, 2, (short) 3)), enough);
        Meter sent = new Meter(backend, 0, enough);
        NetioCodec<Hit> codec = NetioCodec.ofRecord(Hit.class);
        Hit hit = new Hit(1, 2, (short) 3);
        run(backend, framing, in -> in.receive(codec), received, out -> out.connection.send(Flux.<Hit>generate(sink -> {
            if (sent.isDone() && received.isDone()) {
                sink.complete();
            } else {
                sent.count(hit);
                sink.next(hit);
            }
        }), codec), sent);
        received.verify("receive(codec) with framing " + framing);
        sent.verify("send(codec) with framing " + framing);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldAllocateNothingForEachMessageThatIsDecodedWithItsTag(BackendType backend) {
        requireOneBackend(backend);
        Meter received = new Meter(backend, 0);
        run(backend, FramingKind.PAGE, in -> in.receiveTagged((tag, status, payload) -> Boolean.TRUE), received, out -> {
            TaggedMessage message = new TaggedMessage(7, 1, ByteBuffer.allocate(SIZE));
            return out.connection.sendTagged(Flux.<TaggedMessage>generate(sink -> {
                if (received.isDone()) {
                    sink.complete();
                } else {
                    sink.next(message);
                }
            }).publishOn(Schedulers.single()));
        }, new Meter(backend, 0));
        received.verify("receiveTagged(decoder)");
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldAllocateOnlyTheCopyForEachMessageThatIsReceivedAsOne(BackendType backend) {
        requireOneBackend(backend);
        Meter received = new Meter(backend, sizeOf(() -> ByteBuffer.allocate(SIZE)));
        Meter sent = new Meter(backend, 0);
        run(backend, NetioConnection::receive, received,
                out -> out.connection.completion(SendCompletion.TRANSMITTED).send(Flux.generate(out::next)), sent);
        received.verify("receive()");
        sent.verify("send, TRANSMITTED");
    }

    /** A page has a view of it for all leases, and one lease of 1,024 is sampled: another byte for each. */
    @Test
    void shouldAllocateOnlyTheLeaseOfEachMessageThatIsReadByNumbers() {
        Meter received = new Meter(BackendType.TCP, 56, IN_PAGES, NOISE_OF_FEW);
        Meter sent = new Meter(BackendType.TCP, 0);
        run(BackendType.TCP, FramingKind.STREAM, in -> in.receiveLeased().doOnNext(lease -> {
            if (lease.length() != SIZE || lease.getLong(0) != 0) { // an assertion of AssertJ would be garbage
                throw new AssertionError("not the message that was sent");
            }
            lease.close();
        }), received, out -> out.connection.send(Flux.generate(out::next)), sent);
        received.verify("receiveLeased()");
    }

    private static SequencedMessage numbered() {
        return new SequencedMessage(SEVEN, 1, 1, new TaggedMessage(7, 0, ByteBuffer.allocate(SIZE)));
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldAllocateOnlyTheEventForEachMessageWithANumber(BackendType backend) {
        requireOneBackend(backend);
        Meter received = new Meter(backend, sizeOf(AllocationTest::numbered), IN_PAGES);
        ByteBuffer message = ByteBuffer.allocateDirect(SIZE);
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.BACKPRESSURE, 1024)
                .publish(7, Flux.<ByteBuffer>generate(sink -> {
                    if (received.isDone()) {
                        sink.complete();
                    } else {
                        sink.next(message);
                    }
                }).publishOn(Schedulers.single()));
        DisposableServer server = publisher.serve(NetioServer.create().backend(backend).runOn(sendingLoops)).bindNow();
        NetioSubscriber.create(NetioClient.create().backend(backend).runOn(receivingLoops).port(server.port()))
                .subscribeSequenced(SEVEN).doOnNext(received::count).blockLast(PATIENCE);
        received.verify("subscribeSequenced");
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldAllocateNothingForEachSliceOfARegion(BackendType backend) {
        Meter received = new Meter(backend, 0);
        Meter sent = new Meter(backend, 0);
        run(backend, in -> in.receive(message -> Boolean.TRUE), received,
                out -> out.connection.sendRegion(Flux.generate(out::nextSlice)), sent);
        received.verify("receive(decoder) of slices");
        sent.verify("sendRegion");
    }
}
