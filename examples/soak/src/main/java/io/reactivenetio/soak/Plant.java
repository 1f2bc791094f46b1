// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

/** A fault that is planted in a campaign's own processes, to see that the campaign finds it. */
enum Plant {
    /** A message of ten million does not reach the check. */
    LOSS(10_000_000),
    /** A lease of ten thousand is not given back. */
    LEAK(10_000),
    /** A reconnect of a thousand is not made. */
    FORGOTTEN(1_000);

    private final int usual;

    Plant(int usual) {
        this.usual = usual;
    }

    /** One in how many. */
    int oneIn() {
        return usual;
    }
}
