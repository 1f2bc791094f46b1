// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits for what comes at a moment of its own. */
final class Waiting {
    private static final int PAUSE_MILLIS = 10;

    private Waiting() {
    }

    /** Waits until {@code condition} holds, and returns whether it does so within {@code limit}. */
    static boolean within(Duration limit, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
        return true;
    }
}
