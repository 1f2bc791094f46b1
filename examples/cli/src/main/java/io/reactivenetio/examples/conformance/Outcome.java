// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** How a case has gone. {@code reason} is empty if it has passed. */
record Outcome(String name, Result result, long millis, String reason) {
    /** Whether the end has done what the case wants. */
    enum Result {
        PASSED("passed"),
        FAILED("FAILED"),
        NOT_OFFERED("not offered");

        private final String word;

        Result(String word) {
            this.word = word;
        }

        String word() {
            return word;
        }
    }

    Map<String, Object> json() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("name", name);
        members.put("result", result.word().toLowerCase(Locale.ROOT));
        members.put("milliseconds", millis);
        if (!reason.isEmpty()) {
            members.put("reason", reason);
        }
        return members;
    }
}
