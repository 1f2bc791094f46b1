// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import static io.reactivenetio.benchmarks.Summary.figure;

import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Pair.Sample;
import io.reactivenetio.benchmarks.Summary;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** What opening connections costs, for people. */
final class Openings {
    private static final double KIBI = 1024;

    private Openings() {
    }

    static String heading() {
        return String.format(Locale.ROOT, "%n%-36s %10s %11s %9s %9s %9s %15s %19s %19s%n", "opening", "all, ms",
                "per second", "p50 us", "p99 us", "p99.9 us", "CPU us c | s", "heap KiB c | s", "memory KiB c | s");
    }

    /** A line: the medians of {@code rounds}; c: client, s: server, for each connection; –: not measured. */
    static String line(Opening opening, List<Sample> rounds) {
        return String.format(Locale.ROOT, "%-36s %10s %11s %9s %9s %9s %7s |%6s %9s |%8s %9s |%8s%n", opening.title(),
                figure("%.1f", median(rounds, sample -> sample.sent().nanos() / 1e6)),
                figure("%,.0f", median(rounds, Sample::perSecond)),
                figure("%.0f", median(rounds, sample -> Outcome.nanos(sample.sent().p50()) / 1e3)),
                figure("%.0f", median(rounds, sample -> Outcome.nanos(sample.sent().p99()) / 1e3)),
                figure("%.0f", median(rounds, sample -> Outcome.nanos(sample.sent().p999()) / 1e3)),
                figure("%.0f", median(rounds, sample -> sample.sent().cpuPerMessage() / 1e3)),
                figure("%.0f", median(rounds, sample -> sample.received().cpuPerMessage() / 1e3)),
                kibibytes(rounds, Sample::sent, Outcome::allocatedPerMessage),
                kibibytes(rounds, Sample::received, Outcome::allocatedPerMessage),
                kibibytes(rounds, Sample::sent, Outcome::residentPerMessage),
                kibibytes(rounds, Sample::received, Outcome::residentPerMessage));
    }

    private static String kibibytes(List<Sample> rounds, Function<Sample, Outcome> side, ToDoubleFunction<Outcome> bytes) {
        return figure("%.1f", median(rounds, sample -> bytes.applyAsDouble(side.apply(sample))) / KIBI);
    }

    private static double median(List<Sample> rounds, ToDoubleFunction<Sample> figure) {
        return Summary.median(rounds.stream().mapToDouble(figure).toArray());
    }
}
