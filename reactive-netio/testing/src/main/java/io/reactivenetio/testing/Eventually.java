// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.testing;

import static io.reactivenetio.testing.TestSettings.PATIENCE;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what another thread brings about. */
public final class Eventually {

    private Eventually() {
    }

    /** Returns when {@code condition} holds. If it does not for a long time, {@code what} says how things stand. */
    public static void await(BooleanSupplier condition, Supplier<String> what) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not within " + PATIENCE + ": " + what.get());
            }
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
