// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import java.util.List;

/**
 * One case.
 *
 * @param name what it tries, for people; {@code --only} looks for a part of it
 * @param needs the framings, roles and extras that the end must offer
 * @param body throws if the end fails
 */
record Case(String name, List<String> needs, Body body) {
    /** What a case does. */
    interface Body {
        void run(Bench bench) throws Exception;
    }
}
