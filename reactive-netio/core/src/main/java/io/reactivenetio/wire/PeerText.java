// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

/**
 * Text that a peer has written, as it may be shown. Control characters, line and paragraph separators, and the marks that change
 * the direction of text are written as {@code \\uXXXX}. So no peer can forge a line of a log, colour a terminal, or show a text
 * backwards.
 */
public final class PeerText {

    private PeerText() {
    }

    /** Escapes what must not be shown. Returns {@code text} itself if there is nothing of that in it. */
    public static String shown(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (isHidden(text.charAt(i))) {
                return escaped(text, i);
            }
        }
        return text;
    }

    private static String escaped(String text, int from) {
        StringBuilder shown = new StringBuilder(text.length() + 16).append(text, 0, from);
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isHidden(c)) {
                shown.append("\\u").append(String.format("%04x", (int) c));
            } else {
                shown.append(c);
            }
        }
        return shown.toString();
    }

    /** C0, DEL, C1, and what Unicode calls line and paragraph separators and format characters, of which bidi marks are some. */
    private static boolean isHidden(char c) {
        if (c >= ' ' && c < 0x7f) {
            return false;
        }
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }
}
