// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo.screen;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Numbers as text, the same everywhere, and text in lines. */
public final class Text {

    private Text() {
    }

    @SuppressWarnings("AnnotateFormatMethod") // would need Error Prone's annotations
    public static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    /** {@code parts} one after the other, with a space between, in lines of at most {@code width} where they allow it. */
    public static List<String> wrap(List<String> parts, int width) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String part : parts) {
            if (!line.isEmpty() && line.length() + 1 + part.length() > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(part);
        }
        lines.add(line.toString());
        return lines;
    }

    /** The words of {@code text}, in lines of at most {@code width}. */
    public static List<String> wrap(String text, int width) {
        return wrap(List.of(text.split(" ", -1)), width);
    }
}
