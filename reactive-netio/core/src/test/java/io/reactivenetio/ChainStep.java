// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.time.Duration;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** The operators that give back the leases they let fall, each with random arguments; docs/guide.md lists them. */
enum ChainStep {
    FILTER((in, random) -> in.filter(lease -> Link.number(lease.buffer()) % 2 == 0)),
    SKIP((in, random) -> in.skip(random.nextInt(20))),
    SKIP_WHILE((in, random) -> in.skipWhile(lease -> Link.number(lease.buffer()) < 10)),
    TAKE((in, random) -> in.take(random.nextInt(40))),
    TAKE_UNTIL((in, random) -> in.takeUntil(lease -> Link.number(lease.buffer()) > 30)),
    TAKE_UNTIL_OTHER((in, random) -> in.takeUntilOther(Mono.delay(micros(random)))),
    SKIP_UNTIL_OTHER((in, random) -> in.skipUntilOther(Mono.delay(micros(random)))),
    ELEMENT_AT((in, random) -> in.elementAt(random.nextInt(30)).onErrorComplete().flux()),
    NEXT((in, random) -> in.next().flux()),
    DISTINCT((in, random) -> in.distinct(lease -> Link.number(lease.buffer()) / 3)),
    DISTINCT_UNTIL_CHANGED((in, random) -> in.distinctUntilChanged(lease -> Link.number(lease.buffer()) / 3)),
    HANDLE((in, random) -> in.handle((lease, sink) -> {
        if (Link.number(lease.buffer()) % 3 == 0) {
            lease.release();
        } else {
            sink.next(lease);
        }
    })),
    HIDE((in, random) -> in.hide()),
    PEEK((in, random) -> in.doOnNext(Lease::buffer)),
    PUBLISH_ON((in, random) -> in.publishOn(parallel(), 1 + random.nextInt(40))),
    SUBSCRIBE_ON((in, random) -> in.subscribeOn(Schedulers.parallel())),
    LIMIT_RATE((in, random) -> in.limitRate(1 + random.nextInt(20))),
    BUFFER((in, random) -> in.buffer(1 + random.nextInt(10)).concatMapDelayError(Flux::fromIterable)),
    BUFFER_AND_FLATTEN((in, random) -> in.buffer(1 + random.nextInt(10)).flatMap(Flux::fromIterable, 1 + random.nextInt(4))),
    COLLECT_LIST((in, random) -> in.collectList().flatMapMany(Flux::fromIterable)),
    WINDOW((in, random) -> in.window(1 + random.nextInt(10)).concatMapDelayError(window -> window)),
    CONCAT_MAP_DELAY_ERROR((in, random) -> in.concatMapDelayError(lease -> later(lease), 1 + random.nextInt(8))),
    FLAT_MAP((in, random) -> in.flatMap(lease -> later(lease), 1 + random.nextInt(8), 1)),
    MERGE((in, random) -> Flux.merge(1 + random.nextInt(8), in, Flux.<Lease>empty())),
    CONCAT((in, random) -> in.concatWith(Flux.error(new ExpectedException()))),
    ON_BACKPRESSURE_BUFFER((in, random) -> in.onBackpressureBuffer(1 + random.nextInt(20))),
    ON_BACKPRESSURE_DROP((in, random) -> in.onBackpressureDrop()),
    ON_BACKPRESSURE_LATEST((in, random) -> in.onBackpressureLatest()),
    DELAY_ELEMENTS((in, random) -> in.delayElements(Duration.ofNanos(1))),
    TIMEOUT((in, random) -> in.timeout(micros(random))),
    ON_ERROR_RESUME((in, random) -> in.onErrorResume(error -> Flux.empty())),
    MATERIALIZE((in, random) -> in.materialize().dematerialize()),
    MAP_THAT_THROWS((in, random) -> {
        int at = random.nextInt(60);
        return in.map(lease -> orThrow(lease, at));
    }),
    PEEK_THAT_THROWS((in, random) -> {
        int at = random.nextInt(60);
        return in.doOnNext(lease -> orThrow(lease, at));
    }),
    FLAT_MAP_THAT_THROWS((in, random) -> {
        int at = random.nextInt(60);
        return in.flatMap(lease -> Mono.just(orThrow(lease, at)));
    });

    private final BiFunction<Flux<Lease>, Random, Flux<Lease>> operator;

    ChainStep(BiFunction<Flux<Lease>, Random, Flux<Lease>> operator) {
        this.operator = operator;
    }

    Function<Flux<Lease>, Flux<Lease>> with(Random random) {
        return in -> operator.apply(in, random);
    }

    private static Scheduler parallel() {
        return Lease.scheduler(Schedulers.parallel());
    }

    private static Duration micros(Random random) {
        return Duration.ofNanos(1_000L * (1 + random.nextInt(20_000)));
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
