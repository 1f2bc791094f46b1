// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.reactivenetio.transport.BackendType;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SynchronousSink;

/**
 * What the loops' threads allocate for small messages, once everything is compiled: nothing, but for the copies of {@code
 * receive()}. A million messages, after four seconds of others, unless {@code -Dnetio.test.messages=10000000} says otherwise.
 * Not with checked buffers, which are copies: the build runs it apart, by hand it is {@code -Dtest=AllocationTest
 * -Dio.reactivenetio.checkBuffers=false}.
 */
@Timeout(600)
class AllocationTest {
    private static final ThreadMXBean THREADS = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
    private static final Duration PATIENCE = Duration.ofSeconds(500);
    private static final int MESSAGES = TestSettings.scaled(Integer.getInteger("netio.test.messages", 1_000_000));
    /** System calls are few per message, so it takes some time until all that makes them is compiled. */
    private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(4);
    private static final int SIZE = 64;
    /** Bytes per message: what the JVM itself needs now and then, and less than one object for each batch would be. */
    private static final double NOISE = 0.25;

    private final NetioLoops sendingLoops = NetioLoops.create("sending", 1);
    private final NetioLoops receivingLoops = NetioLoops.create("receiving", 1);

    @AfterEach
    void stop() {
        sendingLoops.dispose();
        receivingLoops.dispose();
    }

    /** Counts messages on one thread, and the bytes that this thread allocates once it has been at it for a while. */
    private static final class Meter {
        private long messages;
        private long began;
        private long from;
        private long to;
        private long before;
        private long after;
        private Object last;

        /** {@code message} is kept until the next, so that the compiler cannot do without it. */
        void count(Object message) {
            last = message;
            if ((++messages & 1023) != 0) {
                return;
            }
            if (began == 0) {
                began = System.nanoTime();
            } else if (from == 0) {
                if (System.nanoTime() - began > WARM_UP_NANOS) {
                    from = messages;
                    before = THREADS.getCurrentThreadAllocatedBytes();
                }
            } else {
                to = messages;
                after = THREADS.getCurrentThreadAllocatedBytes();
            }
        }

        boolean isDone() {
            return from > 0 && to - from >= MESSAGES;
        }

        double perMessage() {
            assertThat(last).isNotNull();
            assertThat(to - from).isGreaterThan(MESSAGES / 2);
            return (double) (after - before) / (to - from);
        }
    }

    private static void print(BackendType backend, String what, double bytes) {
        System.out.printf(Locale.ROOT, "%s, %d messages of %d B, %s: %.4f bytes allocated per message%n", backend, MESSAGES, SIZE,
                what, bytes);
    }

    /** What the receiving loop allocates for each message, and the sending one, in this order. */
    private double[] measure(BackendType backend, Function<NetioConnection, Flux<?>> receive,
            Function<Outgoing, Mono<Void>> send, NetioRegion region) {
        CompletableFuture<NetioConnection> accepted = new CompletableFuture<>();
        DisposableServer server = NetioServer.create().backend(backend).provider(TestSettings.PROVIDER)
                .host(TestSettings.ADDRESS).runOn(receivingLoops).rawEnd(RawEnd.EMPTY_MESSAGE)
                .doOnConnection(accepted::complete).bindNow();
        NetioConnection sending = NetioClient.create().backend(backend).provider(TestSettings.PROVIDER)
                .host(TestSettings.ADDRESS).runOn(sendingLoops).rawEnd(RawEnd.EMPTY_MESSAGE).region(region).port(server.port())
                .connectNow();
        NetioConnection receiving = accepted.orTimeout(10, TimeUnit.SECONDS).join();
        Meter received = new Meter();
        CompletableFuture<Void> all = receive.apply(receiving).doOnNext(received::count).then().toFuture();
        Outgoing outgoing = new Outgoing(sending, region);
        send.apply(outgoing).then(sending.completeOutbound()).subscribeOn(sending.scheduler()).block(PATIENCE);
        all.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        return new double[] {received.perMessage(), outgoing.sent.perMessage()};
    }

    /** Messages to send that allocate nothing of themselves. */
    private static final class Outgoing {
        final NetioConnection connection;
        final Meter sent = new Meter();
        private final ByteBuffer message = ByteBuffer.allocateDirect(SIZE);
        private final RegionSlice[] slices = new RegionSlice[1024];

        Outgoing(NetioConnection connection, NetioRegion region) {
            this.connection = connection;
            for (int i = 0; i < slices.length; i++) {
                slices[i] = region.slice((long) i * SIZE, SIZE);
            }
        }

        void next(SynchronousSink<ByteBuffer> sink) {
            if (sent.isDone()) {
                sink.complete();
            } else {
                sent.count(message);
                sink.next(message);
            }
        }

        void nextSlice(SynchronousSink<RegionSlice> sink) {
            if (sent.isDone()) {
                sink.complete();
            } else {
                RegionSlice slice = slices[(int) sent.messages % slices.length];
                sent.count(slice);
                sink.next(slice);
            }
        }
    }

    /** Of one owned copy, in which position, limit and content are. */
    private static double copy() {
        ByteBuffer[] kept = new ByteBuffer[1000];
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < kept.length; i++) {
            kept[i] = ByteBuffer.allocate(SIZE);
        }
        long after = THREADS.getCurrentThreadAllocatedBytes();
        assertThat(kept[kept.length - 1].capacity()).isEqualTo(SIZE);
        return (double) (after - before) / kept.length;
    }

    @ParameterizedTest
    @EnumSource(BackendType.class)
    void shouldAllocateNothingForEachMessageThatIsDecodedInPlace(BackendType backend) {
        try (NetioRegion region = NetioRegion.allocate(1 << 20)) {
            double[] bytes = measure(backend, in -> in.receive(message -> Boolean.TRUE),
                    out -> out.connection.send(Flux.generate(out::next)), region);
            print(backend, "receive(decoder)", bytes[0]);
            print(backend, "send", bytes[1]);
            assertThat(bytes[0]).isBetween(0.0, NOISE);
            assertThat(bytes[1]).isBetween(0.0, NOISE);
        }
    }

    @ParameterizedTest
    @EnumSource(BackendType.class)
    void shouldAllocateOnlyTheCopyForEachMessageThatIsReceivedAsOne(BackendType backend) {
        double copy = copy();
        try (NetioRegion region = NetioRegion.allocate(1 << 20)) {
            double[] bytes = measure(backend, NetioConnection::receive,
                    out -> out.connection.send(Flux.generate(out::next), SendCompletion.TRANSMITTED), region);
            print(backend, "receive(), of which " + copy + " are the copy", bytes[0]);
            print(backend, "send TRANSMITTED", bytes[1]);
            assertThat(bytes[0]).isBetween(copy - NOISE, copy + NOISE);
            assertThat(bytes[1]).isBetween(0.0, NOISE);
        }
    }

    @ParameterizedTest
    @EnumSource(BackendType.class)
    void shouldAllocateNothingForEachSliceOfARegion(BackendType backend) {
        try (NetioRegion region = NetioRegion.allocate(1 << 20)) {
            double[] bytes = measure(backend, in -> in.receive(message -> Boolean.TRUE),
                    out -> out.connection.sendRegion(Flux.generate(out::nextSlice)), region);
            print(backend, "receive(decoder)", bytes[0]);
            print(backend, "sendRegion", bytes[1]);
            assertThat(bytes[0]).isBetween(0.0, NOISE);
            assertThat(bytes[1]).isBetween(0.0, NOISE);
        }
    }
}
