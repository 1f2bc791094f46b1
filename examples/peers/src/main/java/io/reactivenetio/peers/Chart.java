// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import java.util.Formatter;
import java.util.List;
import java.util.Locale;

/**
 * A drawing with a row for each contender: a bar from 0 to a figure, or dots at several figures on a logarithmic scale. SVG by
 * itself, large enough to be read from across a room, in the colours that the reader's system prefers.
 */
final class Chart {
    private static final int WIDTH = 1000;
    private static final int LABELS = 400;
    private static final int FIGURES = 120;
    private static final int ROW = 34;
    private static final int HEAD = 64;
    private static final int DOT = 7;
    private static final int SPACE = WIDTH - LABELS - FIGURES;
    private static final String STYLE = """
            <style>
              svg { --ink: #1f2937; --quiet: #9ca3af; --own: #1d4ed8; --ground: #ffffff; font-family: system-ui, sans-serif }
              @media (prefers-color-scheme: dark) {
                svg { --ink: #e5e7eb; --quiet: #6b7280; --own: #60a5fa; --ground: #111827 }
              }
              .ground { fill: var(--ground) } text { fill: var(--ink); font-size: 20px }
              .title { font-size: 26px; font-weight: 600 }
              .other { fill: var(--quiet); stroke: var(--quiet) } .own { fill: var(--own); stroke: var(--own) }
              text.own { stroke: none; font-weight: 600 }
            </style>
            """;

    /** One contender's row; figures rise. */
    record Row(String label, boolean own, List<Double> figures, String text) {
    }

    private Chart() {
    }

    /** A bar for each row, as long as its only figure. */
    static String bars(String title, List<Row> rows) {
        double most = rows.stream().mapToDouble(row -> row.figures().getLast()).max().orElse(1);
        Formatter svg = begin(title, rows.size());
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            double length = Math.max(1, row.figures().getLast() / most * SPACE);
            label(svg, row, i);
            svg.format("<rect class='%s' x='%d' y='%d' width='%.1f' height='%d' rx='3'/>%n", kind(row), LABELS, top(i) + 5,
                    length, ROW - 10);
            figure(svg, row, i, LABELS + length);
        }
        return svg.format("</svg>%n").toString();
    }

    /** A line from the first to the last figure of each row, with a dot at each, from {@code least} on. */
    static String dots(String title, double least, List<Row> rows) {
        double most = rows.stream().mapToDouble(row -> row.figures().getLast()).max().orElse(1);
        Formatter svg = begin(title, rows.size());
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            double[] at = row.figures().stream().mapToDouble(figure ->
                    LABELS + SPACE * Math.log(Math.max(figure, least) / least) / Math.log(Math.max(most / least, 2))).toArray();
            int middle = top(i) + ROW / 2;
            label(svg, row, i);
            svg.format("<line class='%s' x1='%.1f' x2='%.1f' y1='%d' y2='%d' stroke-width='3'/>%n", kind(row), at[0],
                    at[at.length - 1], middle, middle);
            for (double x : at) {
                svg.format("<circle class='%s' cx='%.1f' cy='%d' r='%d'/>%n", kind(row), x, middle, DOT);
            }
            figure(svg, row, i, at[at.length - 1] + DOT);
        }
        return svg.format("</svg>%n").toString();
    }

    private static Formatter begin(String title, int rows) {
        int height = top(rows) + ROW / 2;
        Formatter svg = new Formatter(Locale.ROOT);
        svg.format("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='100%%' role='img' aria-label='%s'>%n",
                WIDTH, height, escaped(title));
        svg.format("%s", STYLE);
        svg.format("<rect class='ground' width='%d' height='%d'/>%n<text class='title' x='16' y='38'>%s</text>%n", WIDTH, height,
                escaped(title));
        return svg;
    }

    private static int top(int row) {
        return HEAD + row * ROW;
    }

    private static void label(Formatter svg, Row row, int index) {
        svg.format("<text class='%s' x='%d' y='%d' text-anchor='end'>%s</text>%n", row.own() ? "own" : "", LABELS - 12,
                top(index) + ROW / 2 + 7, escaped(row.label()));
    }

    private static void figure(Formatter svg, Row row, int index, double x) {
        svg.format("<text x='%.1f' y='%d'>%s</text>%n", x + 8, top(index) + ROW / 2 + 7, escaped(row.text()));
    }

    private static String kind(Row row) {
        return row.own() ? "own" : "other";
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("'", "&#39;");
    }
}
