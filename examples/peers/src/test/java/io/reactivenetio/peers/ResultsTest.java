// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Pair.Sample;
import io.reactivenetio.benchmarks.Work;
import io.reactivenetio.benchmarks.Work.Mode;
import io.reactivenetio.benchmarks.Work.Waiting;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the tables show where nothing was measured, and where there is nothing to compare with. */
class ResultsTest {
    private static final Work STREAM = new Work(Mode.STREAM, 64, 64, Waiting.SLEEP, 10, 20, "tcp");
    private static final Work TRIPS = new Work(Mode.ROUNDTRIP, 64, 1, Waiting.SPIN, 10, 20, "tcp");
    private static final Outcome NOTHING = new Outcome(0, 0, 5, 0, 0, 0, 0, -1, -1);

    private static Outcome outcome(long messages) {
        return new Outcome(messages, 1_000_000_000, messages, 5_000, 6_000, 7_000, messages * 2, messages * 3, 0);
    }

    private static Results results(Work work, Outcome base, Outcome other) {
        Results results = new Results(work, "Base");
        results.add("Base", new Sample(work, base, base));
        results.add("Other", new Sample(work, other, other));
        return results;
    }

    @Test
    void shouldCompareWhatWasMeasured() {
        assertThat(results(STREAM, outcome(1_000_000), outcome(500_000)).table().lines().skip(1).toList()).containsExactly(
                "64 bytes                                           M msg/s             min–max     MB/s          × Base"
                        + "  CPU ns/msg s | r     B/msg s | r",
                "Base                                                 1.000     1.000–    1.000       64            1.00"
                        + "        3 |      3       2 |     2",
                "Other                                                0.500     0.500–    0.500       32            0.50"
                        + "        3 |      3       2 |     2");
    }

    @Test
    void shouldNotShowZeroOrInfinityForWhatWasNotMeasured() {
        List<String> lines = results(STREAM, NOTHING, outcome(500_000)).table().lines().skip(1).toList();

        assertThat(lines.get(0)).doesNotContain("× Base");
        assertThat(lines.get(1)).matches("Base +– +– +– +– \\| +– +– \\| +–");
        assertThat(lines.get(2)).contains(" 0.500 ").doesNotContain("Infinity", "NaN");
        assertThat(lines.get(3)).isEqualTo("– not measured: a round was too short for what it had to measure:"
                + " --seconds makes them longer");
        assertThat(results(STREAM, outcome(1_000), NOTHING).table()).contains("× Base").doesNotContain("0.00 ");
    }

    @Test
    void shouldHaveNoColumnOfRatiosWithoutABase() {
        Results alone = new Results(TRIPS, "Base");
        alone.add("Other", new Sample(TRIPS, outcome(1_000), outcome(1_000)));

        assertThat(alone.table()).doesNotContain("× Base").contains("per second CPU ns each")
                .doesNotContain("–").contains("      1,000        3 |      3");
    }

    @Test
    void shouldSayWhyCHasNoFiguresOfAHeap() {
        Outcome c = new Outcome(1_000, 1_000_000_000, 1_000, 0, 0, 0, -1, -1, -1);

        assertThat(results(STREAM, outcome(1_000), c).table())
                .endsWith("– not measured: C has no heap, and does not clock its sender");
    }

    @Test
    void shouldWriteNullInJsonAndSayItInCharts() {
        Results results = results(TRIPS, outcome(1_000), NOTHING);

        assertThat(results.json()).contains("\"Other\":[{\"perSecond\":null,\"p50\":null,\"p99\":null,\"p999\":null,"
                + "\"cpu\":[null,null],\"allocated\":[null,null]}]").doesNotContain("NaN", "Infinity");
        List<Chart.Row> rows = results.rows(figures -> List.of(figures.p50(), figures.p99()), "%.0f, %.0f");
        assertThat(rows).extracting(Chart.Row::text).containsExactly("5000, 6000", "not measured");
        assertThat(Chart.bars("t", rows) + Chart.dots("t", 1, rows)).contains("not measured").doesNotContain("NaN", "Infinity");
    }
}
