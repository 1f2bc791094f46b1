// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.examples.cli.Terminal;
import io.reactivenetio.examples.demo.screen.Glyphs;
import io.reactivenetio.examples.demo.screen.Grid;
import io.reactivenetio.examples.demo.screen.Histogram;
import io.reactivenetio.examples.demo.screen.Legend;
import io.reactivenetio.examples.demo.screen.Line;
import io.reactivenetio.examples.demo.screen.Text;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The live view as lines that fit a terminal of any size: no line is longer than it is wide, and there are no more of them than
 * it is high. Where it is narrow, columns are left out and lines go on in the next; where it is low, links, bars and legend are.
 */
final class Frame {
    private static final int WIDEST = 79;
    /** Narrower than this, what stands before and between the figures is left out. */
    private static final int NARROW = 60;
    private static final int INDENT = 10;
    private static final int FEW_LINKS = 4;
    private static final int MOST_BARS = 5;
    private static final int LEAST_BARS = 2;
    private static final int BUSY_BAR = 40;
    private static final Sample.Link NOTHING_YET = new Sample.Link(-1, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    private final DetectorSettings settings;
    private final List<String> title;
    private final Glyphs glyphs;
    private final @Nullable Boolean legend;

    /**
     * Frames of one run.
     *
     * @param title its parts, the most important one first
     * @param legend whether it has to be there; null: where there is room for it
     */
    Frame(DetectorSettings settings, List<String> title, Glyphs glyphs, @Nullable Boolean legend) {
        this.settings = settings;
        this.title = title;
        this.glyphs = glyphs;
        this.legend = legend;
    }

    /** How it goes {@code now}, with rates since {@code before}. */
    List<Line> live(Sample now, Sample before, Terminal.Size size) {
        int width = Math.min(WIDEST, size.columns());
        double seconds = now.secondsSince(before);
        List<Line> top = header(Text.format("%.1f of %.0f s", now.status().millis() / 1000.0, settings.seconds), width);
        rate(top, width, "trigger", Text.format("%,.0f", now.status().rateSince(before.status())), "Hz", nominal());
        busy(top, width, now.status().busySince(before.status()));
        rate(top, width, "events", Text.format("%,.0f", now.eventsPerSecondSince(before)), "/s",
                Line.of(Text.format("total %,d", now.events())));
        rate(top, width, "fragments", Text.format("%,.0f", (now.received() - before.received()) / seconds), "/s",
                Line.of(Text.format("total %,d", now.received())));
        rate(top, width, "data", Text.format("%,.2f", (now.bytes() - before.bytes()) / seconds / 1e6), "MB/s",
                Line.of(Text.format("total %,.2f MB", now.bytes() / 1e6)));
        faults(top, width, now);
        return fitted(top, links(now, before, width, size.rows()), now, legend, size);
    }

    /** How it went in all: the numbers of the summary. */
    List<Line> last(Summary summary, Terminal.Size size) {
        int width = Math.min(WIDEST, size.columns());
        Sample end = summary.end();
        List<Line> top = header(Text.format("in all, %.1f s", end.status().millis() / 1000.0), width);
        rate(top, width, "trigger", Text.format("%,.0f", summary.rate()), "Hz", nominal());
        busy(top, width, end.busy());
        rate(top, width, "events", Text.format("%,d", end.events()), "",
                Line.of(Text.format("%,d complete", end.events() - end.damaged())));
        rate(top, width, "fragments", Text.format("%,d", end.received()), "", new Line());
        rate(top, width, "data", Text.format("%,.2f", end.bytes() / 1e6), "MB", new Line());
        faults(top, width, end);
        return fitted(top, totals(end, size.rows()), end, false, size);
    }

    private List<Line> header(String time, int width) {
        String text = " " + title.getFirst();
        for (String part : title.subList(1, title.size())) {
            String more = text + glyphs.dot() + part;
            text = more.length() + 1 + time.length() <= width ? more : text;
        }
        List<Line> lines = new ArrayList<>();
        lines.add(Line.of(Line.BOLD, text).add(" ".repeat(Math.max(1, width - text.length() - time.length())) + time));
        lines.add(Line.of(Line.DIM, glyphs.rule(width)));
        return lines;
    }

    private Line nominal() {
        return Line.of(Text.format("of %,d Hz", settings.rate));
    }

    private void busy(List<Line> lines, int width, double busy) {
        String colour = busy < 0.05 ? Line.GREEN : busy < 0.5 ? Line.YELLOW : Line.RED;
        String head = head(width, "busy", Text.format("%.1f", busy * 100), "%");
        lines.add(Line.of(head).add(colour, glyphs.bar(busy, Math.clamp(width - head.length(), 0, BUSY_BAR))));
    }

    private static void faults(List<Line> lines, int width, Sample now) {
        String head = head(width, "faults", Text.format("%,d", now.truncated() + now.corrupted()), "");
        List<String> parts = List.of(Text.format("%,d truncated,", now.truncated()),
                Text.format("%,d corrupted,", now.corrupted()), Text.format("%,d missing", now.missing()));
        int wanted = String.join(" ", parts).length();
        String begin = head.length() + wanted <= width ? head : " ".repeat(INDENT);
        if (head.length() + wanted > width) {
            lines.add(Line.of(head));
        }
        for (String part : Text.wrap(parts, Math.max(1, width - begin.length()))) {
            lines.add(Line.of(begin).add(now.missing() == 0 ? "" : Line.RED, part));
            begin = " ".repeat(INDENT);
        }
    }

    /** A line, or two where it is too narrow for one. */
    private static void rate(List<Line> lines, int width, String label, String value, String unit, Line more) {
        Line head = Line.of(head(width, label, value, unit));
        if (head.length() + more.length() <= width || more.length() == 0) {
            lines.add(head.add(more));
        } else {
            lines.add(head);
            lines.add(Line.of(" ".repeat(INDENT)).add(more));
        }
    }

    private static String head(int width, String label, String value, String unit) {
        return Text.format(width < NARROW ? "%-9s %9s %-5s" : " %-10s %10s %-5s", label, value, unit);
    }

    /** Draws {@code most} links at most. */
    private Grid links(Sample now, Sample before, int width, int most) {
        int air = width >= WIDEST ? 1 : 0;
        int bar = 10 * air;
        double seconds = now.secondsSince(before);
        Grid grid = new Grid(List.of(new Grid.Column("link", 5, 9), new Grid.Column("frags/s", 9, 8),
                new Grid.Column("MB/s", 7, 1), new Grid.Column("demand", bar + 7 + air, 7), new Grid.Column("stalls", 8 + air, 5),
                new Grid.Column("truncated", 10 + air, 2), new Grid.Column("corrupted", 10 + air, 3),
                new Grid.Column("missing", 8 + air, 6)));
        for (Sample.Link link : first(now, most)) {
            Sample.Link earlier = before.links().stream().filter(l -> l.number() == link.number()).findFirst()
                    .orElse(NOTHING_YET);
            grid.row(List.of(Line.of(Integer.toString(link.number())),
                    Line.of(Text.format("%,.0f", (link.received() - earlier.received()) / seconds)),
                    Line.of(Text.format("%.2f", (link.bytes() - earlier.bytes()) / seconds / 1e6)),
                    demand(link, bar), number(link.stalls()), number(link.truncated()), number(link.corrupted()),
                    missing(link.missing())));
        }
        return grid;
    }

    private Line demand(Sample.Link link, int bar) {
        double asked = Math.min(1, (double) link.demand() / ReadoutLink.AHEAD);
        String colour = asked > 0.2 ? Line.GREEN : asked > 0 ? Line.YELLOW : Line.RED;
        return Line.of(colour, glyphs.bar(asked, bar)).add(colour, Text.format(" %4d", link.demand()));
    }

    private static List<Sample.Link> first(Sample sample, int most) {
        return sample.links().subList(0, Math.min(Math.max(most, FEW_LINKS), sample.links().size()));
    }

    private static Grid totals(Sample end, int most) {
        Grid grid = new Grid(List.of(new Grid.Column("link", 5, 9), new Grid.Column("received", 12, 8),
                new Grid.Column("MB", 10, 4), new Grid.Column("truncated", 13, 1), new Grid.Column("corrupted", 13, 2),
                new Grid.Column("missing", 10, 6), new Grid.Column("stalls", 10, 5)));
        for (Sample.Link link : first(end, most)) {
            grid.row(List.of(Line.of(Integer.toString(link.number())), number(link.received()),
                    Line.of(Text.format("%.2f", link.bytes() / 1e6)), number(link.truncated()), number(link.corrupted()),
                    missing(link.missing()), number(link.stalls())));
        }
        return grid;
    }

    private static Line number(long value) {
        return Line.of(Text.format("%,d", value));
    }

    private static Line missing(long value) {
        return value == 0 ? Line.of("0") : Line.of(Line.RED, Text.format("%,d", value));
    }

    /** Returns as much of it as fits, and leaves out first what matters least. */
    private List<Line> fitted(List<Line> top, Grid grid, Sample now, @Nullable Boolean wanted, Terminal.Size size) {
        int width = Math.min(WIDEST, size.columns());
        List<Line> links = grid.lines(width);
        int count = now.links().size();
        int shown = Math.min(count, FEW_LINKS);
        int spare = size.rows() - top.size() - 1 - shown - (shown < count ? 1 : 0);
        List<Line> words = wanted != null && wanted ? Legend.lines(width) : List.of();
        words = words.subList(0, Math.clamp(spare - 1L, 0, words.size()));
        spare -= words.isEmpty() ? 0 : words.size() + 1;
        int bars = Math.min(MOST_BARS, spare - 4);
        spare -= bars >= LEAST_BARS ? bars + 3 : 0;
        if (shown < count) {
            int more = count - shown <= spare ? count - shown : Math.clamp(spare - 1L, 0, count - shown - 1);
            shown += more;
            spare -= more;
        }
        if (wanted == null && Legend.lines(width).size() + 2 <= spare) {
            words = Legend.lines(width);
        }
        List<Line> all = new ArrayList<>(top);
        if (spare > 0) {
            all.add(new Line());
        }
        all.addAll(links.subList(0, shown + 1));
        if (shown < count) {
            all.add(Line.of(Line.DIM, Text.format("   %s %d more links", glyphs.more(), count - shown)));
        }
        if (bars >= LEAST_BARS) {
            all.add(new Line());
            all.addAll(histogram(now.hits(), bars, width));
        }
        if (!words.isEmpty()) {
            all.add(new Line());
            all.addAll(words);
        }
        return all.subList(0, Math.min(all.size(), size.rows())).stream().map(line -> line.cut(size.columns())).toList();
    }

    private List<Line> histogram(Histogram.Counts hits, int height, int width) {
        List<Line> lines = new ArrayList<>();
        lines.add(Line.of(" ").add(Line.BOLD, "hits per fragment").add(Text.format("  mean %.2f", hits.mean())));
        List<String> bars = hits.lines(height, width - 3, glyphs);
        for (int i = 0; i < bars.size(); i++) {
            lines.add(Line.of("   ").add(i < bars.size() - 1 ? Line.CYAN : Line.DIM, bars.get(i)));
        }
        return lines;
    }
}
