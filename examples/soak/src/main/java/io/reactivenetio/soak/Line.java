// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import java.util.LinkedHashMap;
import java.util.Map;

/** What a worker and the program say to each other: a word, and values with names. No blanks are in any of them. */
record Line(String word, Map<String, String> values) {
    /** A line of a word, and of names and values by turns. Blanks of a value become underscores. */
    static Line of(String word, Object... namesAndValues) {
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            values.put(String.valueOf(namesAndValues[i]), String.valueOf(namesAndValues[i + 1]).replaceAll("\\s", "_"));
        }
        return new Line(word, values);
    }

    static Line parse(String text) {
        String[] parts = text.strip().split(" ", -1);
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 1; i < parts.length; i++) {
            int equals = parts[i].indexOf('=');
            values.put(parts[i].substring(0, Math.max(0, equals)), parts[i].substring(equals + 1));
        }
        return new Line(parts[0], values);
    }

    String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalStateException("'" + this + "' says nothing of " + name);
        }
        return value;
    }

    long number(String name) {
        return Long.parseLong(text(name));
    }

    @Override
    public String toString() {
        StringBuilder line = new StringBuilder(word);
        values.forEach((name, value) -> line.append(' ').append(name).append('=').append(value));
        return line.toString();
    }
}
