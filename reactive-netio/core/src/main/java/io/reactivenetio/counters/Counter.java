// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.counters;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A count with one writer, the loop, and readers anywhere: no locked instruction, and never a torn or cached value. */
final class Counter {
    private static final VarHandle VALUE;

    static {
        try {
            VALUE = MethodHandles.lookup().findVarHandle(Counter.class, "value", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // through VALUE
    private long value;

    void add(long amount) {
        VALUE.setOpaque(this, (long) VALUE.getOpaque(this) + amount);
    }

    void max(long candidate) {
        if (candidate > (long) VALUE.getOpaque(this)) {
            VALUE.setOpaque(this, candidate);
        }
    }

    long get() {
        return (long) VALUE.getOpaque(this);
    }
}
