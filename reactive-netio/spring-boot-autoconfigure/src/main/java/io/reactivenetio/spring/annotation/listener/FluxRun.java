// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import io.reactivenetio.api.Lease;
import io.reactivenetio.api.Tags;
import io.reactivenetio.spring.Thrown;
import io.reactivenetio.spring.annotation.method.GuardedFlux;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.publisher.SynchronousSink;
import reactor.util.retry.Retry;

/**
 * One run of a listener that takes a Flux: its method is called, what it returns is subscribed to, and that again, after a
 * pause, when it has failed. A stop completes the Flux, so that what the method makes of it can come to its end. Any thread.
 */
final class FluxRun implements ListenerRun {
    private final ListenerMethod method;
    private final ListenerSettings settings;
    private final ListenerCounters counters;
    private final Failures failures;
    private final Sinks.Empty<Void> stopped = Sinks.empty();
    private final Sinks.Empty<Void> over = Sinks.empty();
    private final Disposable.Swap subscription = Disposables.swap();
    /** How often the method was called in a row without getting a message. */
    private int inVain;
    private final LongAdder givenUp = new LongAdder();
    private volatile @Nullable Attempt current;
    private volatile @Nullable Throwable failure;

    FluxRun(ListenerMethod method, ListenerSettings settings, ListenerCounters counters, Failures failures) {
        this.method = method;
        this.settings = settings;
        this.counters = counters;
        this.failures = failures;
    }

    @Override
    public void start() {
        method.resolve();
        Flux<?> attempts = Flux.defer(() -> {
            Attempt attempt = new Attempt();
            current = attempt;
            return attempt.result();
        }).retryWhen(Retry.from(signals -> signals.concatMap(signal -> again(signal.failure()))));
        subscription.replace(attempts.subscribe(FluxRun::giveBack, error -> over.tryEmitEmpty(), over::tryEmitEmpty));
    }

    /** A method that returns the leases that it has got is done with them. */
    private static void giveBack(@Nullable Object element) {
        if (element instanceof Lease lease) {
            lease.close();
        }
    }

    /** Has an element when the method is to be called again; fails when it is not. */
    private Mono<?> again(Throwable error) {
        Attempt last = Objects.requireNonNull(current);
        Throwable cause = last.ended;
        if (cause != null) {
            failure = cause;
            if (!last.toldAlready) {
                failures.subscription("its subscription", error);
            }
            return Mono.error(error);
        }
        failures.flux(error);
        inVain = last.received ? 1 : inVain + 1;
        return Mono.firstWithSignal(Mono.delay(settings.delay(inVain)), stopped.asMono().then(Mono.error(error)));
    }

    /** What is made of one call of the method. */
    private final class Attempt {
        private final HandedOutLeases leases = new HandedOutLeases();
        private volatile boolean received;
        private volatile boolean toldAlready;
        /** What the subscription has failed with, for good, and the Flux of the method with it. */
        private volatile @Nullable Throwable ended;

        Flux<?> result() {
            List<Tags> tags = settings.tags();
            Flux<Message> all = tags.size() == 1 ? stream(tags.getFirst())
                    : Flux.fromIterable(tags).flatMapDelayError(this::oneOfSeveral, tags.size(), settings.window());
            Sinks.Empty<Void> subscribed = Sinks.empty();
            Flux<Object> shown = all.doOnSubscribe(s -> ended = null).doOnError(error -> ended = error)
                    .takeUntilOther(stopped.asMono().then(subscribed.asMono()))
                    .transform(messages -> new GuardedFlux<>(messages, subscribed::tryEmitEmpty)).handle(this::show)
                    .doOnDiscard(Message.class, this::discard);
            return new GuardedFlux<>(call(shown), () -> { })
                    .doOnDiscard(Lease.class, Lease::close)
                    .doFinally(signal -> leases.close());
        }

        private Publisher<?> call(Flux<Object> messages) {
            try {
                return method.call(messages);
            } catch (Throwable t) { // the method's
                return Mono.error(Thrown.signal(t));
            }
        }

        private Flux<Message> stream(Tags tags) {
            return settings.messages(method.content(), tags, connection -> { }).doOnNext(this::received);
        }

        /** One whose failure is told at once, as the others go on: the Flux fails with it when they are over. */
        private Flux<Message> oneOfSeveral(Tags tags) {
            return stream(tags).doOnError(error -> {
                toldAlready = true;
                failure = error;
                failures.subscription("the subscription to " + tags, error);
            });
        }

        private void discard(Message message) {
            givenUp.increment();
            counters.discarded.increment();
            message.close();
        }

        private void received(Message message) {
            if (!received) {
                received = true;
            }
            counters.received.increment();
            if (message.content() instanceof Lease lease) {
                leases.add(lease);
            }
        }

        private void show(Message message, SynchronousSink<Object> sink) {
            Throwable error = message.error();
            if (error == null) {
                sink.next(Objects.requireNonNull(message.content()));
                counters.handled.increment();
            } else {
                counters.failed.increment();
                failures.message(message, 0, error);
            }
        }
    }

    @Override
    public void stop() {
        stopped.tryEmitEmpty();
    }

    @Override
    public void abort() {
        stop();
        subscription.dispose();
        over.tryEmitEmpty();
    }

    @Override
    public Mono<Void> over() {
        return over.asMono();
    }

    @Override
    public @Nullable Throwable failure() {
        return failure;
    }

    /** What the method does with its Flux is its own affair. */
    @Override
    public int inFlight() {
        return 0;
    }

    @Override
    public int waiting() {
        return 0;
    }

    @Override
    public GivenUp givenUp() {
        return new GivenUp(givenUp.sum(), 0);
    }

    @Override
    public Duration behind() {
        return Duration.ZERO;
    }
}
