// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.testing;

import static io.reactivenetio.testing.TestSettings.PATIENCE;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Waits for what another thread or process brings about. */
public final class Eventually {
    /** How long a look is after the one before. Where Java is emulated, looks would take the time of what is looked at. */
    private static final long PAUSE_MILLIS = TestSettings.SLOW ? 100 : 1;
    private static final Duration STILL = TestSettings.patient(Duration.ofMillis(200));

    private Eventually() {
    }

    /** What is waited for. */
    @FunctionalInterface
    public interface Condition {
        /** Says whether it holds by now; what it throws ends the wait. */
        boolean holds() throws Exception;
    }

    /** Returns when {@code condition} holds. If it does not within a minute, {@code what} says how things stand. */
    public static void await(Condition condition, Supplier<String> what) {
        if (!within(PATIENCE, condition)) {
            throw new AssertionError("not within " + PATIENCE + ": " + what.get());
        }
    }

    /** Returns when {@code condition}, which {@code what} describes, holds. */
    public static void await(String what, Condition condition) {
        await(condition, () -> what);
    }

    /** Returns true when {@code condition} holds, and false if it does not within {@code limit}. */
    public static boolean within(Duration limit, Condition condition) {
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            while (!condition.holds()) {
                if (System.nanoTime() - deadline > 0) {
                    return false;
                }
                Thread.sleep(PAUSE_MILLIS); // the one loop that asks again and again
            }
            return true;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the value of {@code counter}, which another thread counts up, once it has not changed for 200 ms. */
    public static long still(LongSupplier counter) {
        long before;
        long now = counter.getAsLong();
        do {
            before = now;
            long had = before;
            within(STILL, () -> counter.getAsLong() != had);
            now = counter.getAsLong();
        } while (now != before);
        return now;
    }
}
