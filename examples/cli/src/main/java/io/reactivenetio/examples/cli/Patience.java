// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import java.time.Duration;

/** Limits, longer by the factor {@code -Dnetio.slowness} says where the machine is that much slower than most. */
public final class Patience {
    private static final int SLOWNESS = Math.clamp(Integer.getInteger("netio.slowness", 1), 1, 100);

    private Patience() {
    }

    public static Duration ofSeconds(int seconds) {
        return Duration.ofSeconds(seconds).multipliedBy(SLOWNESS);
    }

    /** Returns the option that gives a program which this one starts the same patience. */
    public static String option() {
        return "-Dnetio.slowness=" + SLOWNESS;
    }
}
