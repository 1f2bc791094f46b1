// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.examples.cli.Terminal;
import io.reactivenetio.examples.demo.screen.Glyphs;
import io.reactivenetio.examples.demo.screen.Legend;
import io.reactivenetio.examples.demo.screen.Line;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the live view shows on terminals of all sizes. */
class LiveFrameTest {
    private static final Pattern NUMBER = Pattern.compile("[0-9]+(?:,[0-9]{3})*(?:\\.[0-9]+)?");

    private static Frame frame(int links, Glyphs glyphs, Boolean legend) {
        return new Frame(Samples.settings(links), List.of("reactive-netio demo", links + " links", "libfabric tcp", "127.0.0.1"),
                glyphs, legend);
    }

    private static List<String> live(int links, int columns, int rows, Boolean legend) {
        return texts(frame(links, Glyphs.BLOCKS, legend).live(Samples.of(links, 1_260_000), Samples.of(links, 1_242_000),
                new Terminal.Size(columns, rows)));
    }

    private static List<String> texts(List<Line> lines) {
        return lines.stream().map(Line::toString).toList();
    }

    @Test
    void shouldFitEveryTerminal() {
        for (int links : List.of(1, 4, 1_000)) {
            for (int columns : List.of(1, 2, 11, 12, 13, 20, 26, 27, 28, 35, 39, 40, 41, 59, 60, 61, 78, 79, 80, 81, 200)) {
                for (int rows : List.of(1, 5, 8, 11, 13, 14, 18, 23, 24, 25, 33, 60)) {
                    for (Boolean legend : new Boolean[] {null, true, false}) {
                        List<String> lines = live(links, columns, rows, legend);
                        String size = links + " links, " + columns + "x" + rows + ", legend " + legend;
                        assertThat(lines).as(size).isNotEmpty().hasSizeLessThanOrEqualTo(rows);
                        assertThat(lines).as(size).allMatch(line -> line.length() <= columns);
                        List<String> last = texts(frame(links, Glyphs.BLOCKS, legend).last(
                                Samples.summary(Samples.of(links, 1_234_567)), new Terminal.Size(columns, rows)));
                        assertThat(last).as(size).isNotEmpty().hasSizeLessThanOrEqualTo(rows)
                                .allMatch(line -> line.length() <= columns);
                    }
                }
            }
        }
    }

    @Test
    void shouldShowAllOfItOnAUsualTerminal() {
        assertThat(live(4, 80, 24, null)).hasSizeLessThan(24)
                .contains(" trigger        18,000 Hz   of 20,000 Hz",
                        " link  frags/s   MB/s            demand   stalls  truncated  corrupted  missing")
                .anyMatch(line -> line.matches(" reactive-netio demo · 4 links · libfabric tcp · 127.0.0.1 +70.0 of 10 s"))
                .anyMatch(line -> line.contains("hits per fragment"));
    }

    /** What matters most is there at 40 columns, too. */
    @ParameterizedTest
    @ValueSource(ints = {40, 60, 80})
    void shouldKeepWhatMattersMostWhereItIsNarrow(int columns) {
        String all = String.join("\n", live(4, columns, 24, null));

        assertThat(all).contains("reactive-netio demo", "trigger", "busy", "events", "fragments", "data", "faults", "truncated",
                "corrupted", "missing", "link", "frags/s", "demand", "stalls", "hits per fragment");
        assertThat(all.lines().filter(line -> line.matches(" +[0-3] +20,000 .*"))).hasSize(4);
    }

    @Test
    void shouldLeaveOutLinksWhereItIsLow() {
        assertThat(live(40, 80, 24, null)).hasSizeLessThanOrEqualTo(24).anyMatch(line -> line.contains("… 35 more links"));
        assertThat(live(40, 80, 60, null)).noneMatch(line -> line.contains("more links"));
        assertThat(texts(frame(40, Glyphs.ASCII, null).live(Samples.of(40, 1_000), Samples.of(40, 0), Terminal.Size.USUAL)))
                .anyMatch(line -> line.contains("... 35 more links"))
                .allMatch(line -> line.chars().allMatch(c -> c < 128));
    }

    @Test
    void shouldExplainItsWordsWhereThereIsRoomOrItIsWanted() {
        assertThat(live(4, 80, 24, null)).noneMatch(line -> line.startsWith(" stalls "));
        assertThat(live(4, 80, 40, null)).anyMatch(line -> line.startsWith(" stalls     how often"));
        assertThat(live(4, 80, 40, false)).noneMatch(line -> line.startsWith(" stalls "));
        assertThat(live(4, 80, 24, true)).anyMatch(line -> line.startsWith(" stalls     how often"))
                .noneMatch(line -> line.contains("hits per fragment")).anyMatch(line -> line.matches(" +3 +20,000 .*"));
    }

    @ParameterizedTest
    @ValueSource(ints = {40, 60, 80, 120})
    void shouldHaveALegendThatFits(int columns) {
        List<String> lines = texts(Legend.lines(columns));

        assertThat(lines).hasSizeGreaterThanOrEqualTo(Legend.values().length).allMatch(line -> line.length() <= columns);
        if (columns >= 80) {
            assertThat(lines).hasSize(Legend.values().length);
        }
    }

    /** The last frame says what the summary says, in all its numbers. */
    @ParameterizedTest
    @ValueSource(ints = {40, 60, 80, 120})
    void shouldEndWithTheNumbersOfTheSummary(int columns) {
        Summary summary = Samples.summary(Samples.of(4, 1_234_567));
        String last = String.join("\n", texts(frame(4, Glyphs.BLOCKS, null).last(summary, new Terminal.Size(columns, 50))));
        String account = summary.lines(columns, true).stream().map(Line::toString).collect(Collectors.joining("\n"));

        List<String> told = new ArrayList<>();
        NUMBER.matcher(account).results().map(number -> number.group()).forEach(told::add);
        List<String> shown = last.lines()
                .filter(line -> line.matches(" +[0-3] +1,234,567 .*|.*(?:trigger|busy|events) .*")).toList();
        assertThat(shown).hasSize(7).allSatisfy(line -> NUMBER.matcher(line).results()
                .forEach(number -> assertThat(told).as(line).contains(number.group())));
        assertThat(last).contains(" 1,234,567 ", "1,111,111 complete", " 10.0 %", "18,000 Hz");
        assertThat(account).contains("events 1,234,567,", "complete 1,111,111", "busy 10.0 %", "trigger 18,000 of 20,000 Hz");
    }

    @Test
    void shouldStackTheSummaryWhereItsTableIsTooWide() {
        Summary summary = Samples.summary(Samples.of(2, 123_456));

        assertThat(texts(summary.lines(80, false)))
                .startsWith(" link       sent   received       MB    truncated    corrupted missing   stalls")
                .last().asString().startsWith("OK: ");
        for (int columns : List.of(40, 60, 78)) {
            assertThat(texts(summary.lines(columns, true))).as("%d columns", columns).allMatch(line -> line.length() <= columns)
                    .anyMatch(line -> line.startsWith("link 1, sent 123,456,"))
                    .anyMatch(line -> line.contains("demand"));
        }
        assertThat(String.join(" ", texts(summary.lines(40, false)))).contains("nothing missing");
    }
}
