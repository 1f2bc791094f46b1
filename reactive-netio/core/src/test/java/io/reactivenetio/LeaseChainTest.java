// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.Lease;
import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SignalType;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/**
 * Whatever operators leases go through, and however that ends, by a cancel from any thread, by an error or by completion: every
 * one is given back, and every credit with it. That is exact for operators whose elements all come on the loop. Where they
 * change threads, Reactor's operators discard with best effort: a cancel or an error that meets an element half way loses it, in
 * about one chain of ten thousand. Such a lease comes back with the garbage collector.
 */
@Timeout(300)
class LeaseChainTest {
    private static final int SEEDS = Integer.getInteger("chain.seeds", TestSettings.scaled(500));
    private static final long FIRST_SEED = Long.getLong("chain.seed", 0);
    private static final int MESSAGES = 60;

    private final List<String> foundByTheCollector = new ArrayList<>();
    private final NetioLoops loops = NetioLoops.create("chain", 2);

    @AfterEach
    void stop() {
        loops.dispose();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGiveEveryLeaseBackAfterRandomChains(BackendType backend) throws Exception {
        runSeeds(backend, ChainStep.onTheLoop());
        assertThat(foundByTheCollector).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGiveAlmostEveryLeaseBackAfterRandomChainsAcrossThreads(BackendType backend) throws Exception {
        runSeeds(backend, ChainStep.acrossThreads());
        assertThat(foundByTheCollector).hasSizeLessThanOrEqualTo(SEEDS / 100);
    }

    private void runSeeds(BackendType backend, List<ChainStep> from) throws Exception {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            Random random = new Random(seed * 7919);
            List<ChainStep> steps = random.ints(1 + random.nextInt(4), 0, from.size()).mapToObj(from::get).toList();
            run("-Dchain.seed=" + seed, backend, steps, random);
        }
    }

    /** What to look at first when a random chain fails. */
    @ParameterizedTest
    @EnumSource(ChainStep.class)
    void shouldGiveEveryLeaseBackAfterEachOperatorAlone(ChainStep step) throws Exception {
        for (int seed = 0; seed < 10; seed++) {
            run("seed " + seed, BackendType.TCP, List.of(step), new Random(seed));
        }
        assertThat(foundByTheCollector).hasSizeLessThanOrEqualTo(3);
    }

    private void run(String name, BackendType backend, List<ChainStep> steps, Random random) throws Exception {
        LeasePolicy policy = LeasePolicy.values()[random.nextInt(3)];
        try (Link link = new Link(loops, backend, server -> server.leasePolicy(policy))) {
            Taker taker = new Taker(random);
            ChainStep.Arguments arguments = new ChainStep.Arguments(random, link.receiving.scheduler());
            link.receiving.receiveLeased(chain(steps, arguments)).subscribe(taker);
            link.send(MESSAGES);
            if (!taker.ended.await(random.nextInt(4) == 0 ? random.nextInt(20) : 100, TimeUnit.MILLISECONDS)) {
                taker.cancel();
            }
            settle(link, name + ", " + backend + ", " + policy + ", " + taker + ": " + steps);
        }
    }

    private void settle(Link link, String what) {
        if (!Eventually.within(Duration.ofSeconds(10), link::isBalanced)) {
            foundByTheCollector.add(what);
            Link.await(() -> {
                System.gc();
                return link.isBalanced();
            }, () -> what);
        }
    }

    private static Function<Flux<Lease>, Flux<Lease>> chain(List<ChainStep> steps, ChainStep.Arguments arguments) {
        List<Function<Flux<Lease>, Flux<Lease>>> operators = new ArrayList<>();
        steps.forEach(step -> operators.add(step.with(arguments)));
        return leases -> {
            Flux<Lease> chain = leases;
            for (Function<Flux<Lease>, Flux<Lease>> operator : operators) {
                chain = operator.apply(chain);
            }
            return chain;
        };
    }

    /** Gives back what reaches it, at once or from another thread; it may lose interest at any number. */
    private static final class Taker extends BaseSubscriber<Lease> {
        private final CountDownLatch ended = new CountDownLatch(1);
        private final boolean oneByOne;
        private final boolean elsewhere;
        private final int enough;
        private final AtomicInteger taken = new AtomicInteger();
        private volatile SignalType end;

        Taker(Random random) {
            oneByOne = random.nextBoolean();
            elsewhere = random.nextBoolean();
            enough = random.nextInt(3) == 0 ? 1 + random.nextInt(MESSAGES) : Integer.MAX_VALUE;
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            subscription.request(oneByOne ? 1 : Long.MAX_VALUE);
        }

        @Override
        protected void hookOnNext(Lease lease) {
            if (elsewhere) {
                Schedulers.parallel().schedule(() -> taken(lease));
            } else {
                taken(lease);
            }
        }

        private void taken(Lease lease) {
            lease.close(); // an operator that is cancelled now may have discarded it although it emitted it
            if (taken.incrementAndGet() == enough) {
                cancel();
            } else if (oneByOne) {
                request(1);
            }
        }

        @Override
        protected void hookOnError(Throwable error) {
            // some steps fail
        }

        /** A step that is cancelled while it works on a lease may find that released: such errors have nowhere to go. */
        @Override
        public Context currentContext() {
            return Context.of("reactor.onErrorDropped.local", (Consumer<Throwable>) error -> { });
        }

        @Override
        protected void hookFinally(SignalType type) {
            end = type;
            ended.countDown();
        }

        @Override
        public String toString() {
            return taken + " taken, " + end + (oneByOne ? ", one by one" : "") + (elsewhere ? ", elsewhere" : "");
        }
    }
}
