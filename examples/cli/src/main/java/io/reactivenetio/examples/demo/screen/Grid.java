// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo.screen;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** A table that leaves out its least important columns where it is too narrow for all of them. Cells stand on the right. */
public final class Grid {
    private final List<Column> columns;
    private final List<List<Line>> rows = new ArrayList<>();

    /**
     * A column.
     *
     * @param heading what it is called
     * @param least its width at least, with the space before it; wider if it must
     * @param importance what has least goes first; what has most goes last
     */
    public record Column(String heading, int least, int importance) {
    }

    public Grid(List<Column> columns) {
        this.columns = columns;
    }

    public void row(List<Line> cells) {
        rows.add(cells);
    }

    /** Its width with all columns. */
    public int width() {
        return IntStream.range(0, columns.size()).map(this::width).sum();
    }

    private int width(int column) {
        int widest = columns.get(column).heading().length();
        for (List<Line> row : rows) {
            widest = Math.max(widest, row.get(column).length());
        }
        return Math.max(columns.get(column).least(), widest + 1);
    }

    /** The headings and the rows, in as many of the columns as fit side by side; the most important one in any case. */
    public List<Line> lines(int width) {
        List<Integer> shown = new ArrayList<>(IntStream.range(0, columns.size()).boxed().toList());
        while (shown.size() > 1 && shown.stream().mapToInt(this::width).sum() > width) {
            Integer least = shown.stream().min(Comparator.comparingInt(i -> columns.get(i).importance())).orElseThrow();
            shown.removeIf(least::equals);
        }
        List<Line> lines = new ArrayList<>();
        Line heading = new Line();
        shown.forEach(i -> heading.add(Line.BOLD, right(columns.get(i).heading(), width(i))));
        lines.add(heading);
        for (List<Line> row : rows) {
            Line line = new Line();
            shown.forEach(i -> line.add(" ".repeat(width(i) - row.get(i).length())).add(row.get(i)));
            lines.add(line);
        }
        return lines;
    }

    private static String right(String text, int width) {
        return " ".repeat(width - text.length()) + text;
    }
}
