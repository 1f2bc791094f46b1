// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.Lease;
import io.reactivenetio.api.Tags;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A listener asks for what it can work on, and for no more. */
@Timeout(120)
class ListenerDemandTest {
    private static final int TAGS = 4_000;

    /** A store that is done with a message when the test says so. */
    public static class SlowStore {
        final Queue<Sinks.Empty<Void>> working = new ConcurrentLinkedQueue<>();
        final List<Long> began = Collections.synchronizedList(new ArrayList<>());
        volatile boolean open;

        void letAllGo() {
            open = true;
            working.forEach(Sinks.Empty::tryEmitEmpty);
        }

        @NetioListener(tags = "7", concurrency = "${concurrency}", prefetch = "${prefetch}")
        public Mono<Void> on(ByteBuffer message) {
            Sinks.Empty<Void> done = Sinks.empty();
            working.add(done); // before the test sees that it has begun
            began.add(message.getLong());
            return open ? Mono.empty() : done.asMono();
        }
    }

    private static void shouldAskFor(int concurrency, int prefetch) {
        try (Detector detector = Detector.endless(Tags.of(7))) {
            detector.application().withBean("store", SlowStore.class)
                    .withPropertyValues("concurrency=" + concurrency, "prefetch=" + prefetch).run(context -> {
                        SlowStore store = context.getBean(SlowStore.class);
                        NetioListenerContainer listener = context.getBean(NetioListenerRegistry.class).listener("store.on");
                        int ahead = concurrency + prefetch;
                        Detector.await(() -> listener.statistics().received() == ahead, listener::statistics);
                        Detector.pause(50);
                        assertThat(detector.requested).as("demand stops").hasValue(ahead);
                        NetioListenerStatistics full = new NetioListenerStatistics(ahead, 0, 0, 0, concurrency, prefetch);
                        Detector.await(() -> store.began.size() == concurrency && listener.statistics().equals(full),
                                () -> store.began + ", " + listener.statistics());
                        for (int done = 1; done <= 100; done++) {
                            int finished = done;
                            store.working.remove().tryEmitEmpty();
                            Detector.await(() -> store.began.size() == finished + concurrency, () -> store.began.size());
                        }
                        Detector.await(() -> detector.requested.get() >= ahead + 100 - prefetch / 2, () -> detector.requested);
                        Detector.pause(50);
                        assertThat(detector.requested.get()).as("no more than was done").isLessThanOrEqualTo(ahead + 100);
                        assertThat(store.began).as("in order").isEqualTo(LongStream.range(0, 100 + concurrency).boxed().toList());
                        store.letAllGo();
                    });
        }
    }

    @Test
    void shouldAskForOneMessageAtATime() {
        shouldAskFor(1, 0);
    }

    @Test
    void shouldAskForAsManyAsItWorksOn() {
        shouldAskFor(5, 0);
    }

    @Test
    void shouldAskAheadForAFewMore() {
        shouldAskFor(3, 16);
    }

    /** Blocks a thread for each message until the test lets it go on. */
    public static class Blockers {
        final Semaphore go = new Semaphore(0);
        final AtomicInteger now = new AtomicInteger();
        final AtomicInteger most = new AtomicInteger();
        final List<Long> done = Collections.synchronizedList(new ArrayList<>());

        @NetioListener(tags = "7", concurrency = "${concurrency}", prefetch = "4")
        public void on(ByteBuffer message) throws InterruptedException {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            go.acquire();
            now.decrementAndGet();
            done.add(message.getLong());
        }
    }

    @Test
    void shouldBlockAsManyThreadsAsItsConcurrency() {
        try (Detector detector = Detector.endless(Tags.of(7))) {
            detector.application().withBean(Blockers.class).withPropertyValues("concurrency=8").run(context -> {
                Blockers blockers = context.getBean(Blockers.class);
                Detector.await(() -> blockers.now.get() == 8, () -> blockers.now);
                Detector.pause(50);
                assertThat(detector.requested).hasValue(12);
                blockers.go.release(1_000);
                Detector.await(() -> blockers.done.size() >= 1_000, blockers.done::size);
                assertThat(blockers.most).hasValue(8);
                blockers.go.release(1_000_000_000);
            });
        }
    }

    private static Blockers takeAll(int messages, int threads) {
        AtomicReference<Blockers> took = new AtomicReference<>();
        try (Detector detector = Detector.of(messages)) {
            detector.application().withBean(Blockers.class).withPropertyValues("concurrency=" + threads).run(context -> {
                Blockers blockers = context.getBean(Blockers.class);
                blockers.go.release(1_000_000_000);
                Detector.await(() -> blockers.done.size() == messages, blockers.done::size);
                took.set(blockers);
            });
        }
        return took.get();
    }

    @Test
    void shouldKeepTheOrderWithOneThread() {
        Blockers blockers = takeAll(20_000, 1);
        assertThat(blockers.done).isEqualTo(LongStream.range(0, 20_000).boxed().toList());
        assertThat(blockers.most).hasValue(1);
    }

    @Test
    void shouldTakeEachMessageOnceWithSeveralThreads() {
        Blockers blockers = takeAll(50_000, 4);
        assertThat(blockers.done).containsExactlyInAnyOrderElementsOf(LongStream.range(0, 50_000).boxed().toList());
        assertThat(blockers.most.get()).isBetween(1, 4);
    }

    /** Ends at once, so that every message may begin the next one within the call. */
    public static class AtOnce {
        final AtomicInteger got = new AtomicInteger();

        @NetioListener(tags = "7", concurrency = "1000", prefetch = "0")
        public Mono<Void> mono(ByteBuffer message) {
            got.incrementAndGet();
            return Mono.empty();
        }

        @NetioListener(tags = "7", blocking = BlockingMode.NON_BLOCKING, prefetch = "1000")
        public void nothing(ByteBuffer message) {
            got.incrementAndGet();
        }
    }

    @Test
    void shouldNotRunOutOfStackWhenEverythingIsDoneAtOnce() {
        try (Detector detector = Detector.of(200_000)) {
            detector.application().withBean(AtOnce.class).run(context -> {
                AtOnce atOnce = context.getBean(AtOnce.class);
                Detector.await(() -> atOnce.got.get() == 400_000, () -> atOnce.got);
            });
        }
    }

    /** Leases that wait, or are worked on, keep receive buffers; what is done gives them back. */
    public static class Leases {
        final Semaphore go = new Semaphore(0);
        final AtomicInteger got = new AtomicInteger();
        final List<Lease> kept = Collections.synchronizedList(new ArrayList<>());

        @NetioListener(tags = "7", concurrency = "2", prefetch = "2")
        public void on(Lease message) throws InterruptedException {
            kept.add(message); // which it should not
            go.acquire();
            assertThat(message.isReleased()).isFalse();
            got.incrementAndGet();
        }
    }

    @Test
    void shouldGiveLeasesBackThatAMethodKeeps() {
        try (Detector detector = Detector.of(500)) {
            detector.application().withBean(Leases.class).withBean(Connections.class).run(context -> {
                Leases leases = context.getBean(Leases.class);
                Detector.await(() -> leases.kept.size() == 2, leases.kept::size);
                leases.go.release(500);
                Detector.await(() -> leases.got.get() == 500, () -> leases.got);
                Connections connections = context.getBean(Connections.class);
                Detector.await(connections::hasNoLeases, connections::statistics);
                assertThat(leases.kept).allMatch(Lease::isReleased);
            });
        }
    }

    public static class ManyTags {
        final Map<Long, Integer> got = new ConcurrentHashMap<>();
        final Set<String> wrong = ConcurrentHashMap.newKeySet();

        @NetioListener("${tags}")
        public void on(@NetioTag long tag, ByteBuffer message) {
            int number = got.merge(tag, 1, Integer::sum) - 1;
            if (message.getLong() != number) {
                wrong.add(tag + ": " + number);
            }
        }
    }

    @Test
    void shouldListenToThousandsOfTags() {
        String tags = String.join(",", LongStream.range(0, TAGS).mapToObj(Long::toString).toList());
        try (Detector detector = Detector.each(Tags.range(0, TAGS - 1), tag -> Flux.range(0, 10).map(Detector::number)
                .concatWith(Flux.never()))) {
            detector.application().withBean("many", ManyTags.class).withBean(Connections.class).withPropertyValues("tags=" + tags)
                    .run(context -> {
                        NetioListenerContainer listener = context.getBean(NetioListenerRegistry.class).listener("many.on");
                        Detector.await(() -> listener.statistics().handled() == 10L * TAGS, listener::statistics);
                        ManyTags many = context.getBean(ManyTags.class);
                        assertThat(many.got).hasSize(TAGS).allSatisfy((tag, number) -> assertThat(number).isEqualTo(10));
                        assertThat(many.wrong).isEmpty();
                        assertThat(context.getBean(Connections.class).all).hasSize(1);
                    });
        }
    }
}
