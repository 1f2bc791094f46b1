// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import java.util.ArrayList;
import java.util.List;

/**
 * One case.
 *
 * @param name what it tries, for people; {@code --only} looks for a part of it
 * @param needs the framings, roles and extras that the end must offer
 * @param body throws if the end fails
 */
record Case(String name, List<String> needs, Body body) {
    private static final String LIBFABRIC = "libfabric";

    /** The same over libfabric. */
    Case overLibfabric() {
        List<String> all = new ArrayList<>(needs);
        all.add(LIBFABRIC);
        return new Case(LIBFABRIC + ", " + name, all, bench -> {
            if (!JavaEnd.hasLibfabric()) {
                throw CaseFailedException.notOffered("libfabric, which is not installed here");
            }
            body.run(bench.over(LIBFABRIC));
        });
    }

    /** What a case does. */
    interface Body {
        void run(Bench bench) throws Exception;
    }
}
