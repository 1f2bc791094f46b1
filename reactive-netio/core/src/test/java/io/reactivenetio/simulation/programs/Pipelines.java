// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation.programs;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

/** Puts operators of Reactor behind a Flux. */
final class Pipelines {
    private final Function<Node, Flux<Object>> flows;

    /** {@code flows} makes what a part of an operator subscribes to. */
    Pipelines(Function<Node, Flux<Object>> flows) {
        this.flows = flows;
    }

    /** {@code flux} with all operators of that part. */
    Flux<Object> behind(Flux<Object> flux, Node node) {
        Flux<Object> all = flux;
        for (Node operator : node.kids(true)) {
            all = one(all, operator);
        }
        return all;
    }

    private static Duration micros(Node node, int index) {
        return Duration.ofNanos(1_000L * node.number(index));
    }

    private static Mono<Object> later(Object value, Duration delay) {
        return delay.isZero() ? Mono.just(value) : Mono.delay(delay, Schedulers.parallel()).thenReturn(value);
    }

    private Flux<Object> other(Node operator) {
        return operator.kids().isEmpty() ? Flux.empty() : flows.apply(operator.kids().getFirst());
    }

    private Flux<Object> one(Flux<Object> flux, Node op) {
        return switch (op.word()) {
            case MAP -> Flux.defer(() -> {
                AtomicInteger count = new AtomicInteger();
                return flux.map(value -> {
                    if (count.getAndIncrement() == op.number(0)) {
                        Throwing.of(op.number(1)).go();
                    }
                    return value;
                });
            });
            case FILTER -> Flux.defer(() -> {
                AtomicInteger count = new AtomicInteger();
                return flux.filter(value -> count.getAndIncrement() % 2 == 0);
            });
            case TAKE -> flux.take(op.number(0));
            case TAKE_UNTIL -> Flux.defer(() -> {
                AtomicInteger count = new AtomicInteger();
                return flux.takeUntil(value -> count.incrementAndGet() >= op.number(0));
            });
            case SKIP -> flux.skip(op.number(0));
            case CONCAT_MAP -> flux.concatMap(Mono::just);
            case FLAT_MAP -> flux.flatMap(value -> later(value, micros(op, 1)), op.number(0));
            case SWITCH_MAP -> flux.switchMap(value -> later(value, micros(op, 0)));
            case PUBLISH_ON -> flux.publishOn(Schedulers.parallel(), op.number(0));
            case SUBSCRIBE_ON -> flux.subscribeOn(Schedulers.parallel());
            case PARALLEL -> flux.parallel(op.number(0), op.number(1)).runOn(Schedulers.parallel(), op.number(1)).sequential();
            case CONCAT_LATER -> flux.concatMap(value -> later(value, micros(op, 1)), op.number(0));
            case IN_ORDER -> flux.flatMapSequential(value -> later(value, micros(op, 1)), op.number(0));
            case BUFFER_TIMEOUT -> flux.bufferTimeout(op.number(0), micros(op, 1), Schedulers.parallel(), op.number(2) == 1)
                    .cast(Object.class);
            case DROP -> flux.onBackpressureDrop();
            case LIMIT_RATE -> flux.limitRate(op.number(0));
            case BUFFER -> flux.buffer(op.number(0)).cast(Object.class);
            case WINDOW -> flux.window(op.number(0)).flatMap(Function.identity());
            case RETRY -> flux.retryWhen(Retry.backoff(op.number(0), Duration.ofMillis(1)).jitter(0));
            case REPEAT -> flux.repeat(op.number(0));
            case TIMEOUT -> flux.timeout(micros(op, 0), Schedulers.parallel());
            case DELAY -> flux.delayElements(micros(op, 0), Schedulers.parallel());
            case SHARE -> twice(flux.share());
            case REPLAY -> twice(flux.replay(op.number(0)).refCount());
            case RESUME -> flux.onErrorResume(e -> other(op));
            case MERGE -> flux.mergeWith(other(op));
            case CONCAT -> flux.concatWith(other(op));
            case ZIP -> flux.zipWith(other(op)).cast(Object.class);
            case ON_BACKPRESSURE -> flux.onBackpressureBuffer();
            case CANCEL_WITHIN -> cancelling(flux, op.number(0));
            default -> throw new IllegalArgumentException(op.toString());
        };
    }

    private static Flux<Object> twice(Publisher<Object> shared) {
        return Flux.merge(shared, Flux.from(shared).take(2));
    }

    /** Within onNext, which has not come to the subscriber yet. */
    private static Flux<Object> cancelling(Flux<Object> flux, int at) {
        return Flux.defer(() -> {
            AtomicInteger count = new AtomicInteger();
            return flux.<Object>handle((value, sink) -> {
                if (count.getAndIncrement() >= at) {
                    sink.complete();
                } else {
                    sink.next(value);
                }
            });
        });
    }
}
