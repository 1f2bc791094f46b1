// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import java.util.List;

/** What several samples of one thing come to. */
final class Samples {
    private Samples() {
    }

    /** Returns the middle one, or the larger of two in the middle. */
    static long median(List<Long> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }
}
