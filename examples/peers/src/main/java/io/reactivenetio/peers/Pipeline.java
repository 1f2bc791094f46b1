// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import java.time.Duration;
import java.util.List;
import java.util.function.ToLongFunction;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

/** What programs do with the messages that they receive. The same code runs behind this library and behind Reactor Netty. */
enum Pipeline {
    RECEIVE("receive()"),
    CONCAT_MAP("concatMap(save)"),
    CONCAT_MAP_AHEAD("concatMap(save, 1024)"),
    CONCAT_MAP_ELSEWHERE("concatMap(save elsewhere)"),
    FLAT_MAP("flatMap(save, 16)"),
    FLAT_MAP_ELSEWHERE("flatMap(save elsewhere, 16)"),
    PUBLISH_ON("publishOn(elastic)"),
    PUBLISH_ON_CONCAT_MAP("publishOn(elastic).concatMap(save)"),
    PARALLEL("parallel(2).runOn(parallel)"),
    BUFFER("buffer(500)"),
    BUFFER_TIMEOUT("bufferTimeout"),
    BUFFER_TIMEOUT_CONCAT_MAP("bufferTimeout.concatMap(saveAll)"),
    FAIR_BUFFER_TIMEOUT("bufferTimeout(fair).concatMap(saveAll)"),
    LIMIT_RATE_100("limitRate(100)"),
    LIMIT_RATE_1000("limitRate(1000)"),
    WINDOW("window(1000).flatMap(count)"),
    RETRY("retryWhen(backoff)"),
    TIMEOUT("timeout(5 s)"),
    SHARE("share()");

    private static final int BATCH = 500;
    private static final Duration AT_LATEST = Duration.ofMillis(100);

    private final String title;

    Pipeline(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    /** Completes with {@code messages}, whose numbers {@code numbers} has seen by then; in order where the operators keep it. */
    <T> Mono<Void> of(Flux<T> messages, ToLongFunction<? super T> number, Numbers numbers) {
        return switch (this) {
            case RECEIVE -> inOrder(messages, number, numbers);
            case CONCAT_MAP -> inOrder(messages.concatMap(Pipeline::save), number, numbers);
            case CONCAT_MAP_AHEAD -> inOrder(messages.concatMap(Pipeline::save, 1024), number, numbers);
            case CONCAT_MAP_ELSEWHERE -> inOrder(messages.concatMap(Pipeline::saveElsewhere), number, numbers);
            case FLAT_MAP -> inOrder(messages.flatMap(Pipeline::save, 16), number, numbers);
            case FLAT_MAP_ELSEWHERE -> counted(messages.flatMap(Pipeline::saveElsewhere, 16), numbers);
            case PUBLISH_ON -> inOrder(messages.publishOn(Schedulers.boundedElastic()), number, numbers);
            case PUBLISH_ON_CONCAT_MAP -> inOrder(messages.publishOn(Schedulers.boundedElastic()).concatMap(Pipeline::save),
                    number, numbers);
            case PARALLEL -> counted(messages.parallel(2).runOn(Schedulers.parallel()).sequential(), numbers);
            case BUFFER -> batches(messages.buffer(BATCH), number, numbers);
            case BUFFER_TIMEOUT -> batches(messages.bufferTimeout(BATCH, AT_LATEST), number, numbers);
            case BUFFER_TIMEOUT_CONCAT_MAP -> batches(messages.bufferTimeout(BATCH, AT_LATEST).concatMap(Pipeline::save), number,
                    numbers);
            case FAIR_BUFFER_TIMEOUT -> batches(messages.bufferTimeout(BATCH, AT_LATEST, true).concatMap(Pipeline::save), number,
                    numbers);
            case LIMIT_RATE_100 -> inOrder(messages.limitRate(100), number, numbers);
            case LIMIT_RATE_1000 -> inOrder(messages.limitRate(1000), number, numbers);
            case WINDOW -> messages.doOnNext(message -> numbers.check(number.applyAsLong(message))).window(1000)
                    .flatMap(Flux::count).then();
            case RETRY -> inOrder(messages.retryWhen(Retry.backoff(3, AT_LATEST)), number, numbers);
            case TIMEOUT -> inOrder(messages.timeout(Duration.ofSeconds(5)), number, numbers);
            case SHARE -> inOrder(messages.share(), number, numbers);
        };
    }

    /** A database that answers at once; no Callable, which operators would call without subscribing. */
    private static <T> Mono<T> save(T message) {
        return Mono.just(message).hide();
    }

    private static <T> Mono<T> saveElsewhere(T message) {
        return Mono.just(message).subscribeOn(Schedulers.boundedElastic());
    }

    private static <T> Mono<Void> inOrder(Flux<T> messages, ToLongFunction<? super T> number, Numbers numbers) {
        return messages.doOnNext(message -> numbers.check(number.applyAsLong(message))).then();
    }

    private static <T> Mono<Void> batches(Flux<List<T>> batches, ToLongFunction<? super T> number, Numbers numbers) {
        return batches.doOnNext(batch -> batch.forEach(message -> numbers.check(number.applyAsLong(message)))).then();
    }

    private static Mono<Void> counted(Flux<?> messages, Numbers numbers) {
        return messages.doOnNext(message -> numbers.count()).then();
    }
}
