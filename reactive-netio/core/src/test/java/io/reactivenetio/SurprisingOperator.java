// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.api.Lease;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The operators whose queues and threads commonly surprise, each as it would be written over received messages; what they are
 * given are ByteBuffers, Integers or Leases, and a Lease is given back by who reads it.
 */
enum SurprisingOperator {
    PUBLISH_ON(256, in -> in.publishOn(Lease.scheduler(Schedulers.parallel())).map(SurprisingOperator::take)),
    FLAT_MAP(8, in -> in.flatMap(message -> Mono.fromCallable(() -> take(message)).subscribeOn(Schedulers.parallel()), 8)),
    CONCAT_MAP(33, in -> in.concatMap(message -> Mono.fromCallable(() -> take(message)).subscribeOn(Schedulers.parallel()), 32)),
    BUFFER(100, in -> in.buffer(50).concatMap(list -> Flux.fromIterable(list).map(SurprisingOperator::take), 1)),
    WINDOW(100, in -> in.window(50).concatMap(window -> window.map(SurprisingOperator::take), 1)),
    /** The groups must all be subscribed to, or it waits for ever; one message each waits behind them. */
    GROUP_BY(64 + 5, in -> in.groupBy(message -> peek(message) % 5, 64)
            .flatMap(group -> group.map(SurprisingOperator::take), 5, 1)),
    FILTER(0, in -> in.filter(message -> peek(message) % 2 == 0).map(SurprisingOperator::take)),
    TAKE(0, in -> in.take(Link.MANY / 2).map(SurprisingOperator::take)),
    /** Longer than the consumer takes for what it has asked for: the clock runs while nobody asks, too. */
    TIMEOUT(0, in -> in.timeout(Duration.ofSeconds(30)).map(SurprisingOperator::take)),
    MERGE(8, in -> Flux.merge(8, in, Flux.range(Link.MANY, 100)).map(SurprisingOperator::take)),
    /** Reads at once: an inner publisher that is switched away from keeps what it had. */
    SWITCH_MAP(-1, in -> in.switchMap(message -> Mono.just(take(message)))),
    ON_BACKPRESSURE_DROP(-1, in -> in.onBackpressureDrop().map(SurprisingOperator::take));

    /** How many messages it asks for when nobody asks it for any; -1 for all there are. */
    final int ahead;
    final Function<Flux<Object>, Flux<Integer>> chain;

    SurprisingOperator(int ahead, Function<Flux<Object>, Flux<Integer>> chain) {
        this.ahead = ahead;
        this.chain = chain;
    }

    private static int peek(Object message) {
        return switch (message) {
            case Lease lease -> Link.number(lease.buffer());
            case ByteBuffer buffer -> Link.number(buffer);
            default -> (Integer) message;
        };
    }

    static int take(Object message) {
        int number = peek(message);
        if (message instanceof Lease lease) {
            lease.release();
        }
        return number;
    }
}
