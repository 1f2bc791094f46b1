// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.examples.demo.screen.Grid;
import io.reactivenetio.examples.demo.screen.Legend;
import io.reactivenetio.examples.demo.screen.Line;
import io.reactivenetio.examples.demo.screen.Text;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The result of a run.
 *
 * @param links the links, by number
 * @param end all counters when everything had ended
 * @param nominalRate the trigger rate asked for, Hz
 * @param complaints what is not as it should be; empty if all is well
 */
record Summary(List<LinkResult> links, Sample end, long nominalRate, List<String> complaints) {
    private static final List<Grid.Column> COLUMNS = List.of(new Grid.Column("link", 4, 0), new Grid.Column("sent", 11, 0),
            new Grid.Column("received", 11, 0), new Grid.Column("MB", 9, 0), new Grid.Column("truncated", 13, 0),
            new Grid.Column("corrupted", 13, 0), new Grid.Column("missing", 8, 0), new Grid.Column("stalls", 9, 0));

    /** Compares both accounts: the detector's, and what is counted at the {@code end}. */
    static Summary of(List<LinkTally> tallies, Sample end, DetectorSettings settings) {
        List<String> complaints = new ArrayList<>();
        List<LinkResult> links = tallies.stream().sorted(Comparator.comparingInt(LinkTally::link))
                .map(tally -> new LinkResult(tally, end.links().get(tally.link()))).toList();
        links.forEach(link -> complaints.addAll(link.complaints()));
        if (links.size() != settings.links) {
            complaints.add(links.size() + " of " + settings.links + " links gave their tally");
        }
        if (end.events() != end.status().issued()) {
            complaints.add(end.status().issued() + " triggers gave " + end.events() + " events");
        }
        if (end.misaligned() != 0) {
            complaints.add(end.misaligned() + " events were built of fragments that do not belong together");
        }
        return new Summary(links, end, settings.rate, List.copyOf(complaints));
    }

    boolean ok() {
        return complaints.isEmpty();
    }

    /** Returns the rate, as {@link Sample#rate} does. */
    double rate() {
        return end.rate(nominalRate);
    }

    private double busyPercent() {
        return end.busy() * 100;
    }

    /**
     * A table, with a line or so for each link where it is too wide, and whether all is well in the last line.
     *
     * @param columns how wide the lines may be
     * @param legend whether to say what the words mean
     */
    List<Line> lines(int columns, boolean legend) {
        List<Line> lines = new ArrayList<>(links(columns));
        wrapped(lines, columns, List.of(Text.format("trigger %,.0f of %,d Hz,", rate(), nominalRate),
                Text.format("busy %.1f %%,", busyPercent()), Text.format("stalls %,d,", end.stalls()),
                Text.format("reconnects %,d", end.reconnects())));
        wrapped(lines, columns, List.of(Text.format("events %,d,", end.events()),
                Text.format("complete %,d,", end.events() - end.damaged()),
                "with a", "damaged or", Text.format("missing fragment %,d", end.damaged())));
        if (legend) {
            lines.add(new Line());
            lines.addAll(Legend.lines(columns));
            lines.add(new Line());
        }
        String result = ok() ? Text.format("OK: sent == received, the %,d injected faults found exactly, nothing missing",
                end.truncated() + end.corrupted()) : "FAILED: " + String.join("; ", complaints);
        Text.wrap(result, columns).forEach(part -> lines.add(Line.of(part)));
        return lines;
    }

    private List<Line> links(int columns) {
        Grid grid = new Grid(COLUMNS);
        links.forEach(link -> grid.row(link.cells().stream().map(Line::of).toList()));
        if (grid.width() <= columns) {
            List<Line> lines = new ArrayList<>(grid.lines(columns));
            lines.add(1, Line.of(Line.DIM, Text.format("%49s%13s", "in/found", "in/found")));
            return lines;
        }
        List<Line> lines = new ArrayList<>();
        for (LinkResult link : links) {
            List<String> parts = new ArrayList<>();
            for (int i = 0; i < COLUMNS.size(); i++) {
                parts.add(COLUMNS.get(i).heading() + " " + link.cells().get(i) + (i == COLUMNS.size() - 1 ? "" : ","));
            }
            wrapped(lines, columns, parts);
        }
        return lines;
    }

    private static void wrapped(List<Line> lines, int columns, List<String> parts) {
        String indent = "";
        for (String part : Text.wrap(parts, columns - 2)) {
            lines.add(Line.of(indent + part));
            indent = "  ";
        }
    }

    String json() {
        String perLink = links.stream().map(LinkResult::json).collect(Collectors.joining(","));
        String wrong = complaints.stream().map(c -> "\"" + c + "\"").collect(Collectors.joining(","));
        return Text.format("{\"ok\":%b,\"events\":%d,\"damagedEvents\":%d,\"nominalRate\":%d,\"triggerRate\":%.1f,"
                + "\"busyPercent\":%.2f,\"stalls\":%d,\"reconnects\":%d,\"links\":[%s],\"complaints\":[%s]}",
                ok(), end.events(), end.damaged(), nominalRate, rate(), busyPercent(), end.stalls(), end.reconnects(), perLink,
                wrong);
    }
}
