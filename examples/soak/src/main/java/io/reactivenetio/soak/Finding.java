// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import java.util.LinkedHashMap;
import java.util.Map;

/** What came of one kind of fault: a row of the table. */
record Finding(String campaign, String injected, String expected, String seen, boolean holds) {
    Map<String, Object> json() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("campaign", campaign);
        members.put("injected", injected);
        members.put("expected", expected);
        members.put("seen", seen);
        members.put("holds", holds);
        return members;
    }

    String text() {
        return "| " + String.join(" | ", campaign, injected, expected, seen, holds ? "holds" : "**FAILED**") + " |";
    }
}
