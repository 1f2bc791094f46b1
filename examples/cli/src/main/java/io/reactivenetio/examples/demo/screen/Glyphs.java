// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo.screen;

import java.nio.charset.Charset;

/** Characters to draw with: blocks where the terminal's character set has them, ASCII elsewhere. */
public enum Glyphs {
    BLOCKS(" ▁▂▃▄▅▆▇█", '█', '·', '─', " · ", "…"),
    ASCII("  ..::||#", '#', '.', '-', " - ", "...");

    private final String columns;
    private final char full;
    private final char empty;
    private final char rule;
    private final String dot;
    private final String more;

    Glyphs(String columns, char full, char empty, char rule, String dot, String more) {
        this.columns = columns;
        this.full = full;
        this.empty = empty;
        this.rule = rule;
        this.dot = dot;
        this.more = more;
    }

    public static Glyphs of(Charset charset) {
        return charset.newEncoder().canEncode(BLOCKS.columns) ? BLOCKS : ASCII;
    }

    /** A cell of an upright bar, filled from below by {@code part} of its height. */
    public char column(double part) {
        int steps = columns.length() - 1;
        return columns.charAt(Math.clamp(part > 0 ? (long) Math.ceil(part * steps) : 0, 0, steps));
    }

    /** A bar lying down, {@code part} of it full. */
    public String bar(double part, int width) {
        int filled = Math.clamp(part > 0 ? (long) Math.ceil(part * width) : 0, 0, width);
        return String.valueOf(full).repeat(filled) + String.valueOf(empty).repeat(width - filled);
    }

    public String rule(int width) {
        return String.valueOf(rule).repeat(width);
    }

    /** Between two parts of a title. */
    public String dot() {
        return dot;
    }

    /** Where something is left out. */
    public String more() {
        return more;
    }
}
