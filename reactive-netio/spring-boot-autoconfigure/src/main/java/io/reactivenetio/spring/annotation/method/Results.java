// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.method;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;

/** What a method returns: nothing, a value, or a Publisher or future, which has values later. */
public final class Results {
    private final ResolvableType type;
    private final @Nullable ReactiveAdapter adapter;

    /** {@code type} is what the method says that it returns. */
    public Results(ResolvableType type) {
        this.type = type;
        this.adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type.toClass());
    }

    /** Whether it returns before it is done. */
    public boolean isAsynchronous() {
        return adapter != null;
    }

    /** Whether it may give several values. */
    public boolean isSeveral() {
        return adapter != null && adapter.isMultiValue();
    }

    /** The type of the values; void or Void if there are none. */
    public ResolvableType values() {
        return adapter == null ? type : type.getGeneric(0);
    }

    /** Whether there are no values. */
    public boolean isEmpty() {
        Class<?> raw = values().toClass();
        return raw == void.class || raw == Void.class || adapter != null && adapter.isNoValue();
    }

    /** The Publisher of a result; null if the method was done when it returned. */
    public @Nullable Publisher<?> publisher(@Nullable Object result) {
        if (result == null) {
            return null;
        }
        if (adapter != null) {
            return adapter.toPublisher(result);
        }
        if (type.toClass() != Object.class) {
            return null;
        }
        ReactiveAdapter found = ReactiveAdapterRegistry.getSharedInstance().getAdapter(null, result);
        return found == null ? null : found.toPublisher(result);
    }
}
