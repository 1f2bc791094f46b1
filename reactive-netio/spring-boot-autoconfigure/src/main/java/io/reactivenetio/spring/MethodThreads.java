// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import org.jspecify.annotations.Nullable;

/**
 * Knows whose annotated method the current thread is in. Who stops the application within such a method must not wait for what
 * the method works on, as that would be to wait for itself. Any thread.
 */
public final class MethodThreads {
    private static final ScopedValue<Object> OWNER = ScopedValue.newInstance();

    private MethodThreads() {
    }

    /** {@code task}, which runs on a thread that {@code owner} has made for a method. */
    public static Runnable of(Object owner, Runnable task) {
        return () -> ScopedValue.where(OWNER, owner).run(task);
    }

    /** Who has made the current thread for a method; null if nobody has. */
    public static @Nullable Object owner() {
        return OWNER.isBound() ? OWNER.get() : null;
    }
}
