// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.api.Lease;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** The operators that give back the leases they let fall, each with random arguments; docs/guide.md lists them. */
enum ChainStep {
    FILTER((in, at) -> in.filter(lease -> Link.number(lease.buffer()) % 2 == 0)),
    SKIP((in, at) -> in.skip(at.random().nextInt(20))),
    SKIP_WHILE((in, at) -> in.skipWhile(lease -> Link.number(lease.buffer()) < 10)),
    TAKE((in, at) -> in.take(at.random().nextInt(40))),
    TAKE_UNTIL((in, at) -> in.takeUntil(lease -> Link.number(lease.buffer()) > 30)),
    TAKE_UNTIL_OTHER((in, at) -> in.takeUntilOther(Mono.delay(at.micros(), at.scheduler()))),
    SKIP_UNTIL_OTHER((in, at) -> in.skipUntilOther(Mono.delay(at.micros(), at.scheduler()))),
    ELEMENT_AT((in, at) -> in.elementAt(at.random().nextInt(30)).onErrorComplete().flux()),
    NEXT((in, at) -> in.next().flux()),
    DISTINCT((in, at) -> in.distinct(lease -> Link.number(lease.buffer()) / 3)),
    DISTINCT_UNTIL_CHANGED((in, at) -> in.distinctUntilChanged(lease -> Link.number(lease.buffer()) / 3)),
    HANDLE((in, at) -> in.handle((lease, sink) -> {
        if (Link.number(lease.buffer()) % 3 == 0) {
            lease.release();
        } else {
            sink.next(lease);
        }
    })),
    HIDE((in, at) -> in.hide()),
    PEEK((in, at) -> in.doOnNext(Lease::buffer)),
    PUBLISH_ON(Threads.CHANGES, (in, at) -> in.publishOn(parallel(), 1 + at.random().nextInt(40))),
    SUBSCRIBE_ON(Threads.CHANGES, (in, at) -> in.subscribeOn(Schedulers.parallel())),
    LIMIT_RATE((in, at) -> in.limitRate(1 + at.random().nextInt(20))),
    BUFFER((in, at) -> in.buffer(1 + at.random().nextInt(10)).concatMapDelayError(Flux::fromIterable)),
    BUFFER_AND_FLATTEN((in, at) -> in.buffer(1 + at.random().nextInt(10))
            .flatMap(Flux::fromIterable, 1 + at.random().nextInt(4))),
    COLLECT_LIST((in, at) -> in.collectList().flatMapMany(Flux::fromIterable)),
    WINDOW((in, at) -> in.window(1 + at.random().nextInt(10)).concatMapDelayError(window -> window)),
    CONCAT_MAP_DELAY_ERROR((in, at) -> in.concatMapDelayError(Flux::just, 1 + at.random().nextInt(8))),
    FLAT_MAP((in, at) -> in.flatMap(Flux::just, 1 + at.random().nextInt(8), 1)),
    CONCAT_MAP(Threads.LOOP_ONLY, (in, at) -> in.concatMap(Flux::just, 1 + at.random().nextInt(8))),
    SWITCH_MAP(Threads.LOOP_ONLY, (in, at) -> in.switchMap(Flux::just)),
    CONCAT_MAP_ELSEWHERE(Threads.CHANGES, (in, at) -> in.concatMapDelayError(lease -> later(lease), 1 + at.random().nextInt(8))),
    FLAT_MAP_ELSEWHERE(Threads.CHANGES, (in, at) -> in.flatMap(lease -> later(lease), 1 + at.random().nextInt(8), 1)),
    TIMEOUT_ELSEWHERE(Threads.CHANGES, (in, at) -> in.timeout(at.micros())),
    DELAY_ELEMENTS_ELSEWHERE(Threads.CHANGES, (in, at) -> in.delayElements(Duration.ofNanos(1))),
    MERGE((in, at) -> Flux.merge(1 + at.random().nextInt(8), in, Flux.<Lease>empty())),
    CONCAT((in, at) -> in.concatWith(Flux.error(new ExpectedException()))),
    ON_BACKPRESSURE_BUFFER((in, at) -> in.onBackpressureBuffer(1 + at.random().nextInt(20))),
    ON_BACKPRESSURE_DROP((in, at) -> in.onBackpressureDrop()),
    ON_BACKPRESSURE_LATEST((in, at) -> in.onBackpressureLatest()),
    DELAY_ELEMENTS((in, at) -> in.delayElements(Duration.ofNanos(1), at.scheduler())),
    TIMEOUT((in, at) -> in.timeout(at.micros(), at.scheduler())),
    ON_ERROR_RESUME((in, at) -> in.onErrorResume(error -> Flux.empty())),
    MATERIALIZE((in, at) -> in.materialize().dematerialize()),
    MAP_THAT_THROWS((in, at) -> {
        int limit = at.random().nextInt(60);
        return in.map(lease -> orThrow(lease, limit));
    }),
    PEEK_THAT_THROWS((in, at) -> {
        int limit = at.random().nextInt(60);
        return in.doOnNext(lease -> orThrow(lease, limit));
    }),
    FLAT_MAP_THAT_THROWS((in, at) -> {
        int limit = at.random().nextInt(60);
        return in.flatMap(lease -> Mono.just(orThrow(lease, limit)));
    });

    /** Where an operator gives leases back, and what it does itself. */
    private enum Threads {
        /** As good as perfect on any thread. */
        ANY,
        /** Perfect on the loop, but not where its elements come on one thread and errors or demand on another. */
        LOOP_ONLY,
        /** Goes on elsewhere. */
        CHANGES
    }

    /** What random arguments are made of; the scheduler is that of the connection. */
    record Arguments(Random random, Scheduler scheduler) {
        private Duration micros() {
            return Duration.ofNanos(1_000L * (1 + random.nextInt(20_000)));
        }
    }

    private final BiFunction<Flux<Lease>, Arguments, Flux<Lease>> operator;
    private final Threads threads;

    ChainStep(BiFunction<Flux<Lease>, Arguments, Flux<Lease>> operator) {
        this(Threads.ANY, operator);
    }

    ChainStep(Threads threads, BiFunction<Flux<Lease>, Arguments, Flux<Lease>> operator) {
        this.threads = threads;
        this.operator = operator;
    }

    /** Those of which chains can be made whose elements all come on the loop. */
    static List<ChainStep> onTheLoop() {
        return Arrays.stream(values()).filter(step -> step.threads != Threads.CHANGES).toList();
    }

    /** Those of which chains can be made that change threads. */
    static List<ChainStep> acrossThreads() {
        return Arrays.stream(values()).filter(step -> step.threads != Threads.LOOP_ONLY).toList();
    }

    Function<Flux<Lease>, Flux<Lease>> with(Arguments arguments) {
        return in -> operator.apply(in, arguments);
    }

    private static Scheduler parallel() {
        return Lease.scheduler(Schedulers.parallel());
    }

    /** Some at once, some from another thread: a Flux, and a hidden one, since Mono and constants discard nothing on cancel. */
    private static Flux<Lease> later(Lease lease) {
        Flux<Lease> one = Flux.just(lease);
        return Link.number(lease.buffer()) % 4 == 0 ? one.hide().publishOn(parallel()) : one;
    }

    /** As the documentation demands of lambdas: who throws with a lease in hand gives it back. */
    private static Lease orThrow(Lease lease, int at) {
        if (Link.number(lease.buffer()) >= at) {
            lease.release();
            throw new ExpectedException();
        }
        return lease;
    }

    /** Thrown by steps, not by anything that is wrong. */
    static final class ExpectedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        ExpectedException() {
            super("on purpose", null, false, false);
        }
    }
}
