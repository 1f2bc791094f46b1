// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import io.reactivenetio.testing.AtFullScale;
import io.reactivenetio.testing.TestSettings;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.RepetitionInfo;

/** What there is no time for where the machine is slow. */
public final class SpareTime {

    private SpareTime() {
    }

    /** Skips all but the first repetition, unless everything is run. */
    public static void require(RepetitionInfo repetition) {
        Assumptions.assumeTrue(TestSettings.FULL && !TestSettings.SLOW || repetition.getCurrentRepetition() == 1,
                AtFullScale.REASON);
    }

    /** Skips a variant: another one shows the same over this provider. */
    public static void require() {
        requireUnless(false);
    }

    /** Skips a variant, unless it shows what no other one does over this provider. */
    public static void requireUnless(boolean worthIt) {
        Assumptions.assumeTrue(!TestSettings.SLOW || worthIt,
                "no time for a variant where Java is emulated; a real device runs it");
    }
}
