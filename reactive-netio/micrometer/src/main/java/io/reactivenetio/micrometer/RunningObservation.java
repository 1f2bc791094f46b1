// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micrometer;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** An observation that has begun, and ends once: with what it observes, or with the cancel of that. */
final class RunningObservation {
    private static final String SUCCESS = "success";
    private static final String ERROR = "error";
    private static final String CANCELLED = "cancelled";

    private final Observation observation;
    private final ObservedOperation operation;
    private final AtomicBoolean over = new AtomicBoolean();

    private RunningObservation(Observation observation, ObservedOperation operation) {
        this.observation = observation;
        this.operation = operation;
    }

    /**
     * Begins to observe. The parent is the Observation in {@code context}, if there is one, or else the current one. An answer
     * has none, because its headers say what it belongs to.
     */
    static RunningObservation begin(ObservationRegistry registry, ObservedOperation operation, ContextView context,
            Supplier<? extends Observation.Context> made) {
        NetioObservationDocumentation what = operation.observation();
        Observation observation = what.observation(null, new DefaultConvention(what), made::get, registry);
        Observation parent = context.getOrDefault(ObservationThreadLocalAccessor.KEY, null);
        if (parent != null || what == NetioObservationDocumentation.RESPOND) {
            observation.parentObservation(parent);
        }
        return new RunningObservation(observation.start(), operation);
    }

    /** {@code inner} with this observation in its Context. */
    <T> Mono<T> around(Mono<T> inner) {
        return inner.doOnSuccess(element -> end(SUCCESS, null)).doOnError(error -> end(ERROR, error))
                .doOnCancel(() -> end(CANCELLED, null)).contextWrite(this::put);
    }

    /** {@code inner} with this observation in its Context. */
    <T> Flux<T> around(Flux<T> inner) {
        return inner.doOnComplete(() -> end(SUCCESS, null)).doOnError(error -> end(ERROR, error))
                .doOnCancel(() -> end(CANCELLED, null)).contextWrite(this::put);
    }

    /** One that is switched off leaves its parent in place. */
    private Context put(Context context) {
        return observation.isNoop() ? context : context.put(ObservationThreadLocalAccessor.KEY, observation);
    }

    /** Ends the observation, unless it has ended: a cancel on another thread may meet the end. */
    private void end(String outcome, @Nullable Throwable error) {
        if (!over.getAndSet(true)) {
            operation.ended(outcome);
            if (error != null) {
                observation.error(error);
            }
            observation.stop();
        }
    }
}
