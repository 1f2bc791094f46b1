// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A line that two processes say to each other: the words that say what it is, and its fields. No blanks are in a field, but in
 * {@code text}, which is the last. Immutable.
 */
public record Line(String head, Map<String, String> fields) {
    private static final String TEXT = "text";

    /** A line with names and values of fields by turns. */
    public static Line of(String head, Object... namesAndValues) {
        Line line = new Line(head, Map.of());
        for (int i = 0; i < namesAndValues.length; i += 2) {
            String name = namesAndValues[i].toString();
            String value = namesAndValues[i + 1].toString();
            line = name.equals(TEXT) ? line.text(value) : line.with(name, value);
        }
        return line;
    }

    public static Line parse(String line) {
        Map<String, String> fields = new LinkedHashMap<>();
        StringBuilder head = new StringBuilder();
        int at = 0;
        while (at < line.length()) {
            int end = line.indexOf(' ', at);
            String word = line.substring(at, end < 0 ? line.length() : end);
            int equals = word.indexOf('=');
            if (word.startsWith(TEXT + "=")) {
                fields.put(TEXT, line.substring(at + TEXT.length() + 1));
                break;
            }
            if (equals > 0) {
                fields.put(word.substring(0, equals), word.substring(equals + 1));
            } else if (!word.isEmpty()) {
                head.append(head.isEmpty() ? "" : " ").append(word);
            }
            at = end < 0 ? line.length() : end + 1;
        }
        return new Line(head.toString(), fields);
    }

    Line with(String key, Object value) {
        Map<String, String> more = new LinkedHashMap<>(fields);
        more.put(key, value.toString());
        return new Line(head, more);
    }

    Line text(String text) {
        return with(TEXT, text.replaceAll("[^ -~]+", " ").strip());
    }

    String get(String key, String otherwise) {
        return fields.getOrDefault(key, otherwise);
    }

    public String get(String key) {
        @Nullable String value = fields.get(key);
        if (value == null) {
            throw new IllegalArgumentException("the field " + key + " is missing in: " + this);
        }
        return value;
    }

    public int number(String key) {
        return parsed(key, get(key));
    }

    int number(String key, int otherwise) {
        @Nullable String value = fields.get(key);
        return value == null ? otherwise : parsed(key, value);
    }

    private int parsed(String key, String value) {
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("the field " + key + " is not a number in: " + this, e);
        }
    }

    public long longNumber(String key) {
        try {
            return Long.parseLong(get(key));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("the field " + key + " is not a number in: " + this, e);
        }
    }

    boolean is(String key, Object value) {
        return value.toString().equals(fields.get(key));
    }

    @Override
    public String toString() {
        StringBuilder line = new StringBuilder(head);
        fields.forEach((key, value) -> line.append(key.equals(TEXT) ? "" : " " + key + "=" + value));
        @Nullable String text = fields.get(TEXT);
        return text == null ? line.toString() : line + " " + TEXT + "=" + text;
    }
}
