// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.benchmarks.Pair.Sample;
import io.reactivenetio.benchmarks.Work.Mode;
import io.reactivenetio.benchmarks.Work.Waiting;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** What the table shows of rounds, and where nothing was measured. */
class RowTest {
    private static final Outcome NOTHING = new Outcome(0, 0, 5, 0, 0, 0, 0, -1, -1);

    private static Work work(Mode mode, Waiting waiting) {
        return new Work(mode, 64, 8, waiting, 10, 20, "tcp");
    }

    private static Sample sample(Work work, Outcome outcome) {
        return new Sample(work, outcome, outcome);
    }

    private static Outcome outcome(long messages, long micros) {
        return new Outcome(messages, 1_000_000_000, messages, micros * 1000, micros * 2000, micros * 3000, messages / 2, 5, 5);
    }

    private static Row row(Work work, List<Outcome> c, List<Outcome> java) {
        Row row = new Row(work);
        c.forEach(outcome -> row.addC(sample(work, outcome)));
        java.forEach(outcome -> row.addJava(sample(work, outcome)));
        return row;
    }

    @Test
    void shouldNotShowZeroForWhatWasNotMeasured() {
        Work stream = work(Mode.STREAM, Waiting.SLEEP);
        assertThat(row(stream, List.of(outcome(1000, 0)), List.of(NOTHING)).text(false))
                .isEqualTo("     64         8 sleep       1000          –             –        0        –        –");
        assertThat(row(stream, List.of(NOTHING), List.of(outcome(1000, 0))).text(false))
                .isEqualTo("     64         8 sleep          –       1000             –        –        0     0.50");
        assertThat(row(work(Mode.ROUNDTRIP, Waiting.SPIN), List.of(outcome(10, 7)), List.of(NOTHING)).text(false))
                .isEqualTo("     64 spin        7.0         –             –      14.0         –        –");
    }

    @Test
    void shouldCountMeasuredRoundsOnly() {
        Work stream = work(Mode.STREAM, Waiting.SLEEP);
        Row row = row(stream, List.of(outcome(1000, 0), NOTHING, outcome(1000, 0)),
                List.of(outcome(500, 0), outcome(900, 0), NOTHING));

        assertThat(row.text(false)).contains("       1000        700   0.50 (0.50) ");
        assertThat(row.lacksFigures()).isFalse();
        assertThat(row(stream, List.of(NOTHING), List.of(NOTHING)).lacksFigures()).isTrue();
    }

    @Test
    void shouldHaveColumnsForConnectionsOnlyWhereSomeRowFillsThem() {
        Work stream = work(Mode.STREAM, Waiting.SLEEP);
        Row filled = row(stream, List.of(outcome(1000, 0)), List.of(outcome(1000, 0)));
        filled.addConnection(Pair.FLOW, sample(stream, outcome(800, 0)));
        filled.addConnection(Pair.STREAM, sample(stream, outcome(2000, 0)));
        Row spinning = row(work(Mode.STREAM, Waiting.SPIN), List.of(outcome(1000, 0)), List.of(outcome(1000, 0)));

        assertThat(Row.header(Mode.STREAM, false)).doesNotContain("STREAM").hasSameSizeAs(filled.text(false));
        assertThat(Row.header(Mode.STREAM, true)).contains("RAW msg/s", "STREAM msg/s").hasSameSizeAs(filled.text(true));
        assertThat(filled.text(true)).contains("  800   0.80 (0.80) ").contains(" 2000   2.00 (2.00) ");
        assertThat(spinning.text(true)).endsWith("           –             –        –             –             –        –");
        assertThat(spinning.lacksConnections()).isTrue();
        assertThat(filled.lacksConnections()).isFalse();
        assertThat(Row.header(Mode.ROUNDTRIP, true)).isEqualTo(Row.header(Mode.ROUNDTRIP, false));
    }

    @Test
    void shouldWriteNullInJson() {
        assertThat(row(work(Mode.STREAM, Waiting.SLEEP), List.of(outcome(1000, 0)), List.of(NOTHING)).json()).contains(
                "\"c\":[{\"perSecond\":1000.0,\"p50Nanos\":null,\"p99Nanos\":null,\"allocatedPerMessage\":0.5000}]",
                "\"java\":[{\"perSecond\":null,\"p50Nanos\":null,\"p99Nanos\":null,\"allocatedPerMessage\":null}]");
    }

    @Test
    void shouldHaveTheSameDigitsInEveryLanguage() {
        Row row = row(work(Mode.STREAM, Waiting.SLEEP), List.of(outcome(1000, 0)), List.of(outcome(1000, 0)));
        String json = row.json();
        String text = row.text(false);
        Locale own = Locale.getDefault();
        Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
        try {
            assertThat(row.json()).isEqualTo(json);
            assertThat(row.text(false)).isEqualTo(text);
        } finally {
            Locale.setDefault(own);
        }
    }
}
