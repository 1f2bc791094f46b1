// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import java.util.Locale;

/** Numbers as text, the same everywhere. */
final class Text {

    private Text() {
    }

    @SuppressWarnings("AnnotateFormatMethod") // would need Error Prone's annotations
    static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
