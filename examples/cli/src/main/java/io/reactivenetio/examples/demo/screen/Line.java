// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo.screen;

import java.util.ArrayList;
import java.util.List;

/** A line for a terminal: pieces of text, each in a style or none. Knows how many characters of it are seen. */
public final class Line {
    public static final String BOLD = "1";
    public static final String DIM = "2";
    public static final String RED = "31";
    public static final String GREEN = "32";
    public static final String YELLOW = "33";
    public static final String CYAN = "36";

    private static final String ESC = "\u001b[";
    private static final String PLAIN = "";

    private final List<Piece> pieces = new ArrayList<>();

    /** A text in one style, which is empty for none. */
    public record Piece(String style, String text) {
        String in(boolean colours) {
            return colours && !style.isEmpty() ? ESC + style + "m" + text + ESC + "0m" : text;
        }
    }

    public static Line of(String text) {
        return new Line().add(text);
    }

    public static Line of(String style, String text) {
        return new Line().add(style, text);
    }

    public Line add(String text) {
        return add(PLAIN, text);
    }

    public Line add(String style, String text) {
        pieces.add(new Piece(style, text));
        return this;
    }

    public Line add(Line more) {
        pieces.addAll(more.pieces);
        return this;
    }

    public List<Piece> pieces() {
        return List.copyOf(pieces);
    }

    public int length() {
        return pieces.stream().mapToInt(piece -> piece.text.length()).sum();
    }

    /** What of it fits into so many columns. */
    public Line cut(int columns) {
        Line cut = new Line();
        int left = columns;
        for (Piece piece : pieces) {
            int length = Math.min(left, piece.text.length());
            cut.add(piece.style, piece.text.substring(0, length));
            left -= length;
        }
        return cut;
    }

    /** Returns the line for a terminal. */
    public String in(boolean colours) {
        StringBuilder all = new StringBuilder();
        pieces.forEach(piece -> all.append(piece.in(colours)));
        return all.toString().stripTrailing();
    }

    /** What is seen of it. */
    @Override
    public String toString() {
        return in(false);
    }
}
