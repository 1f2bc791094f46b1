// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.Tags;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Listeners of several streams whose messages are done at once, later, or not at all, while connections break and the listeners
 * stop and start: no message is lost, told twice, in the wrong order, or worked on beside more others than the listener may. A
 * connection that is made anew is on another loop.
 */
@Timeout(300)
class ListenerStormTest {
    private static final int ROUNDS = Integer.getInteger("netio.test.rounds", 12);

    /** What the methods of one listener have seen. */
    static final class Seen {
        final int concurrency;
        final AtomicInteger working = new AtomicInteger();
        final AtomicInteger calls = new AtomicInteger();
        final Map<Long, Long> next = new ConcurrentHashMap<>();
        final Queue<String> wrong = new ConcurrentLinkedQueue<>();

        Seen(int concurrency) {
            this.concurrency = concurrency;
        }

        void begin(long tag, ByteBuffer message) {
            calls.incrementAndGet();
            if (working.incrementAndGet() > concurrency) {
                wrong.add(working + " at a time");
            }
            long number = message.getLong(message.position());
            Long due = concurrency == 1 ? next.put(tag, number + 1) : null;
            if (due != null && number != due && number != 0) { // 0: a new subscription
                wrong.add("tag " + tag + ": " + number + " where " + due + " is due");
            }
        }

        void end() {
            working.decrementAndGet();
        }
    }

    public static class Listeners {
        final Map<String, Seen> seen = Map.of("loop", new Seen(1), "mono", new Seen(1), "several", new Seen(3),
                "virtual", new Seen(1), "threads", new Seen(3));

        private void work(String listener, long tag, ByteBuffer message) {
            Seen all = seen.get(listener);
            all.begin(tag, message);
            all.end();
            if (ThreadLocalRandom.current().nextInt(1_000) == 0) {
                throw new IllegalStateException("now and then");
            }
        }

        private Mono<Void> later(String listener, long tag, ByteBuffer message) {
            Seen all = seen.get(listener);
            all.begin(tag, message);
            AtomicBoolean over = new AtomicBoolean();
            Runnable end = () -> {
                if (!over.getAndSet(true)) {
                    all.end();
                }
            };
            Mono<Void> done = Mono.fromRunnable(end);
            Mono<Void> result = switch (ThreadLocalRandom.current().nextInt(200)) {
                case 0 -> done.delaySubscription(Duration.ofNanos(ThreadLocalRandom.current().nextInt(2_000_000)));
                case 1, 2, 3, 4 -> done.subscribeOn(Schedulers.parallel());
                case 5 -> done.then(Mono.error(new IllegalStateException("now and then")));
                default -> done.hide();
            };
            return result.doOnCancel(end);
        }

        @NetioListener(tags = "7,8,9", id = "loop", blocking = BlockingMode.NON_BLOCKING, errorHandler = "silent")
        public void loop(@NetioTag long tag, ByteBuffer message) {
            work("loop", tag, message);
        }

        @NetioListener(tags = "7,8,9", id = "mono", errorHandler = "silent")
        public Mono<Void> mono(@NetioTag long tag, ByteBuffer message) {
            return later("mono", tag, message);
        }

        @NetioListener(tags = "7,8,9", id = "several", concurrency = "3", prefetch = "20", errorHandler = "silent")
        public Mono<Void> several(@NetioTag long tag, ByteBuffer message) {
            return later("several", tag, message);
        }

        @NetioListener(tags = "7,8,9", id = "virtual", errorHandler = "silent")
        public void virtual(@NetioTag long tag, ByteBuffer message) {
            work("virtual", tag, message);
        }

        @NetioListener(tags = "7,8,9", id = "threads", concurrency = "3", errorHandler = "silent")
        public void threads(@NetioTag long tag, ByteBuffer message) {
            work("threads", tag, message);
        }
    }

    /** A worker leaves just after its last message. */
    private static boolean isDone(NetioListenerStatistics now) {
        return now.inFlight() + now.waiting() == 0 && now.handled() + now.failed() + now.discarded() == now.received();
    }

    @Test
    void shouldTakeEachMessageOnce() {
        Random random = new Random(1);
        try (Detector detector = Detector.endless(Tags.range(7, 9))) {
            detector.application().withPropertyValues("netio.loops.number=3")
                    .withBean(Listeners.class).withBean(Connections.class)
                    .withBean("silent", NetioErrorHandler.class, () -> failure -> { }).run(context -> {
                        NetioListenerRegistry registry = context.getBean(NetioListenerRegistry.class);
                        Map<String, Seen> seen = context.getBean(Listeners.class).seen;
                        Connections connections = context.getBean(Connections.class);
                        for (int round = 0; round < ROUNDS; round++) {
                            for (NetioListenerContainer listener : registry.listeners()) {
                                long before = listener.statistics().received();
                                Detector.await(() -> listener.statistics().received() > before + 1_000,
                                        () -> listener + ": " + listener.statistics());
                            }
                            if (random.nextBoolean()) {
                                connections.all.forEach(NetioConnection::disposeNow);
                                connections.all.clear();
                            }
                            registry.listeners().parallelStream().filter(listener -> random.nextBoolean()).forEach(listener -> {
                                listener.stop().block(Detector.PATIENCE);
                                Detector.await(() -> isDone(listener.statistics()), listener::statistics);
                                assertThat(listener.statistics().discarded()).as(listener.id()).isZero();
                                listener.start();
                            });
                        }
                        registry.listeners().forEach(NetioListenerContainer::abort);
                        seen.forEach((id, all) -> {
                            NetioListenerContainer listener = registry.listener(id);
                            Detector.await(() -> listener.state() == NetioListenerState.STOPPED, listener::state);
                            Detector.await(() -> isDone(listener.statistics()) && all.working.get() == 0, listener::statistics);
                            assertThat(all.wrong).as(id).isEmpty();
                            assertThat(all.calls.get()).as(id).isPositive()
                                    .isLessThanOrEqualTo((int) listener.statistics().received());
                        });
                    });
        }
    }
}
