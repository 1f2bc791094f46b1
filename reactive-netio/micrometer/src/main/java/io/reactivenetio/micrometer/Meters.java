// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Registers meters of one object, to which the registry keeps a weak reference: so neither {@code snapshot} nor a figure may know
 * the object.
 */
record Meters<T, S>(MeterRegistry registry, T shown, Function<T, S> snapshot, Tags tags) {

    /** Meters of the same object, with one tag more. */
    Meters<T, S> with(String key, String value) {
        return new Meters<>(registry, shown, snapshot, tags.and(key, value));
    }

    void counter(String name, String unit, String what, ToDoubleFunction<S> figure) {
        FunctionCounter.builder(name, shown, of(figure)).baseUnit(unit).description(what).tags(tags).register(registry);
    }

    void gauge(String name, @Nullable String unit, String what, ToDoubleFunction<S> figure) {
        Gauge.builder(name, shown, of(figure)).baseUnit(unit).description(what).tags(tags).register(registry);
    }

    private ToDoubleFunction<T> of(ToDoubleFunction<S> figure) {
        Function<T, S> figures = snapshot;
        return object -> figure.applyAsDouble(figures.apply(object));
    }
}
