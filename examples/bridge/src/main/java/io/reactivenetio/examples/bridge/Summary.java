// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import io.reactivenetio.examples.cli.Json;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What a command has done: names and numbers, as a table for people or as JSON for programs. */
final class Summary {
    private static final double MILLI = 1e3;

    private final Map<String, Number> rows = new LinkedHashMap<>();

    Summary with(String name, Number value) {
        rows.put(name, value);
        return this;
    }

    /** Seconds, and {@code messages} per second. */
    Summary withTime(double seconds, long messages) {
        rows.put("seconds", Math.round(seconds * MILLI) / MILLI);
        rows.put("messages/s", seconds > 0 ? Math.round(messages / seconds) : 0);
        return this;
    }

    @SuppressWarnings("SystemOut") // the result of a command
    void print(boolean json) {
        System.out.println(json ? Json.write(rows) : text());
        System.out.flush();
    }

    private String text() {
        int width = rows.keySet().stream().mapToInt(String::length).max().orElse(0);
        StringBuilder text = new StringBuilder();
        rows.forEach((name, value) -> text.append(text.isEmpty() ? "" : System.lineSeparator())
                .append(String.format(Locale.ROOT, "%-" + width + "s  %s", name, value)));
        return text.toString();
    }
}
