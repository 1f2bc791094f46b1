// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.connection.ConnectionProbe.engine;
import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioStream;
import io.reactivenetio.framing.stream.StreamProbe;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/**
 * A connection with 500 streams that flow, and one with 500 more that have stalled, in turn: how fast the 500 are in either, and
 * what memory the stalled ones take. {@code -Dnetio.test.rounds=N} measures more.
 */
@Timeout(300)
class StalledStreamsTest {
    private static final int STREAMS = 500;
    private static final int MESSAGES = TestSettings.scaled(200);
    private static final int ROUNDS = Integer.getInteger("netio.test.rounds", 11);
    /** On a machine that is busy with other things, until the median is steady. */
    private static final int MOST_ROUNDS = 10 * ROUNDS;
    private static final double LEAST = 0.9;
    /** Of the rounds may be below that, and no further ones change it, where it is by chance which half is. */
    private static final double CHANCE = 0.6;
    private static final int WARM_UP = 5;
    private static final int ASKED = 3;
    private static final int PAGES = 16;
    private static final int PAGE = 16_384;
    /** Of heap for a stalled stream, both sides with their operators, queues and upstreams together. */
    private static final int MOST_BYTES = 16_384;

    private final NetioLoops loops = NetioLoops.create("stalled", 2);
    private final List<NetioConnection> connections = new ArrayList<>();

    @AfterEach
    void stop() {
        connections.forEach(NetioConnection::dispose);
        loops.dispose();
    }

    /** Two connected ends. */
    private final class Pair {
        final NetioConnection client;
        final NetioConnection server;
        final AtomicLong requested = new AtomicLong();
        final AtomicInteger arrived = new AtomicInteger();
        volatile int mostPages;

        Pair(BackendType backend) {
            TwoEnds.Connected ends = TwoEnds.connected(loops, backend,
                    s -> s.receiveBuffers(PAGE, PAGES).sendBuffers(PAGE, PAGES),
                    c -> c.receiveBuffers(PAGE, PAGES).sendBuffers(PAGE, PAGES));
            client = ends.client();
            server = ends.server();
            connections.addAll(List.of(client, server));
        }

        /** As many streams again, each asked for a few messages of many, and never for more. */
        void stall() {
            for (long tag = STREAMS; tag < 2 * STREAMS; tag++) {
                server.stream(tag).send(messages(Integer.MAX_VALUE).doOnRequest(requested::addAndGet))
                        .subscribe(nothing -> { }, error -> { });
                client.stream(tag).receive().subscribe(new BaseSubscriber<>() {
                    @Override
                    protected void hookOnSubscribe(Subscription subscription) {
                        request(ASKED);
                    }

                    @Override
                    protected void hookOnNext(ByteBuffer value) {
                        arrived.incrementAndGet();
                    }

                    @Override
                    protected void hookOnError(Throwable throwable) {
                        // ends with its connection
                    }
                });
            }
            Link.await(() -> arrived.get() == ASKED * STREAMS, () -> arrived + " messages");
        }

        /** How long the streams that flow take for their messages, in ns. */
        long round() {
            long start = System.nanoTime();
            for (long tag = 0; tag < STREAMS; tag++) {
                NetioStream stream = server.stream(tag);
                stream.send(messages(MESSAGES)).then(stream.completeOutbound()).subscribe();
            }
            Long all = Flux.range(0, STREAMS).flatMap(tag -> client.stream(tag).receive(this::length).limitRate(32).count(),
                    STREAMS).reduce(0L, Long::sum).block(PATIENCE);
            long took = System.nanoTime() - start;
            assertThat(all).isEqualTo((long) STREAMS * MESSAGES);
            return took;
        }

        /** On the loop, with every message. */
        private int length(ByteBuffer message) {
            mostPages = Math.max(mostPages, StreamProbe.heldPages(engine(client)));
            return message.remaining();
        }
    }

    private static Flux<ByteBuffer> messages(int count) {
        return Flux.range(0, count).map(n -> ByteBuffer.allocate(64).putInt(0, n));
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldCostTheOthersNoMoreThanATenthOfTheirThroughput(BackendType backend) {
        Pair alone = new Pair(backend);
        Pair beside = new Pair(backend);
        beside.stall();
        for (int i = 0; i < WARM_UP; i++) {
            alone.round();
            beside.round();
        }
        List<Double> ratios = new ArrayList<>();
        List<Long> fastAlone = new ArrayList<>();
        List<Long> fastBeside = new ArrayList<>();
        while (ratios.size() < ROUNDS || median(ratios) < LEAST && ratios.size() < MOST_ROUNDS) {
            boolean first = ratios.size() % 2 == 0;
            long before = first ? alone.round() : 0;
            long with = beside.round();
            long without = first ? before : alone.round();
            fastAlone.add(without);
            fastBeside.add(with);
            ratios.add((double) without / with);
        }
        System.out.printf("%s: beside %d stalled streams others have %.2f of their throughput, median of %d rounds;"
                        + " %.2f in the fastest quarter%n", backend, STREAMS, median(ratios), ratios.size(),
                (double) quarter(fastAlone) / quarter(fastBeside));
        assertThat(ratios.stream().filter(ratio -> ratio < LEAST).count()).as("rounds with less than %s: %s", LEAST, ratios)
                .isLessThanOrEqualTo((long) (CHANCE * ratios.size()));
        assertThat(beside.arrived).as("messages on the stalled streams").hasValue(ASKED * STREAMS);
        assertThat(beside.requested).as("asked of their upstreams").hasValue((long) ASKED * STREAMS);
        assertThat(beside.mostPages).as("pages held at a time").isBetween(1, PAGES);
        Link.await(() -> beside.client.statistics().heldBytes() == 0, () -> beside.client.statistics().toString());
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldTakeLittleMemory(BackendType backend) {
        Pair pair = new Pair(backend);
        pair.round();
        long before = usedHeap();
        pair.stall();
        pair.round();
        long each = (usedHeap() - before) / STREAMS;
        System.out.printf("%s: a stalled stream takes %,d bytes of heap%n", backend, each);
        assertThat(each).isLessThan(MOST_BYTES);
        assertThat(pair.mostPages).as("pages held at a time").isBetween(1, PAGES);
        assertThat(pair.requested).as("asked of the upstreams").hasValue((long) ASKED * STREAMS);
    }

    private static long usedHeap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static long quarter(List<Long> times) {
        return times.stream().sorted().skip(times.size() / 4).findFirst().orElseThrow();
    }

    private static double median(List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted.isEmpty() ? 0 : sorted.get(sorted.size() / 2);
    }
}
