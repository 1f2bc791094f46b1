// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes maps, lists, texts, numbers, booleans and null as JSON, on one line. */
public final class Json {

    private Json() {
    }

    /** {@code value} as JSON text. */
    public static String write(@Nullable Object value) {
        StringBuilder out = new StringBuilder();
        append(out, value);
        return out.toString();
    }

    private static void append(StringBuilder out, @Nullable Object value) {
        switch (value) {
            case Map<?, ?> map -> appendObject(out, map);
            case List<?> list -> appendArray(out, list);
            case Double number when !Double.isFinite(number) -> out.append("null");
            case Number number -> out.append(number);
            case Boolean bool -> out.append(bool.booleanValue());
            case null -> out.append("null");
            default -> appendText(out, value.toString());
        }
    }

    private static void appendObject(StringBuilder out, Map<?, ?> map) {
        out.append('{');
        Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry<?, ?> entry = entries.next();
            appendText(out, String.valueOf(entry.getKey()));
            out.append(':');
            append(out, entry.getValue());
            out.append(entries.hasNext() ? "," : "");
        }
        out.append('}');
    }

    private static void appendArray(StringBuilder out, List<?> list) {
        out.append('[');
        Iterator<?> elements = list.iterator();
        while (elements.hasNext()) {
            append(out, elements.next());
            out.append(elements.hasNext() ? "," : "");
        }
        out.append(']');
    }

    private static void appendText(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < ' ' || c == 0x7f || Character.isSurrogate(c)) {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
