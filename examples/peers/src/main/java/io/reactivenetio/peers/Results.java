// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import static io.reactivenetio.benchmarks.Summary.figure;

import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Pair.Sample;
import io.reactivenetio.benchmarks.Summary;
import io.reactivenetio.benchmarks.Work;
import io.reactivenetio.benchmarks.Work.Mode;
import io.reactivenetio.benchmarks.Work.Waiting;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** All rounds of all contenders at one work. Ratios are taken round by round, to the one that is the base. */
final class Results {
    private final Work work;
    private final String base;
    private final Map<String, List<Sample>> samples = new LinkedHashMap<>();

    /** {@code base}: the title of the one that the others are compared with. */
    Results(Work work, String base) {
        this.work = work;
        this.base = base;
    }

    void add(String title, Sample sample) {
        samples.computeIfAbsent(title, key -> new ArrayList<>()).add(sample);
    }

    /** Heading, a line for each contender, and what {@link Summary#NOT_MEASURED} means if it is there. */
    String table() {
        return (heading() + lines()).stripTrailing() + footnote();
    }

    /** What is over the columns of {@link #lines}. */
    String heading() {
        return heading(work.mode() == Mode.STREAM ? work.size() + " bytes" : work.size() + " bytes there and back, "
                + work.inFlight() + " at once, " + (work.waiting() == Waiting.SPIN ? "spinning" : "asleep"));
    }

    /** A line for each contender. */
    String lines() {
        StringBuilder table = new StringBuilder();
        samples.forEach((title, rounds) ->
                table.append(work.mode() == Mode.STREAM ? stream(title, rounds) : trips(title, rounds)));
        return table.toString();
    }

    /** Returns the heading with other words on the left. There is no column of ratios where there is nothing to compare with. */
    String heading(String first) {
        String ratio = hasRatios() ? String.format(" %15s", "× " + base) : "";
        return work.mode() == Mode.STREAM
                ? String.format(Locale.ROOT, "%n%-48s %9s %19s %8s%s %17s %15s%n", first, "M msg/s", "min–max", "MB/s",
                        ratio, "CPU ns/msg s | r", "B/msg s | r")
                : String.format(Locale.ROOT, "%n%-48s %9s %9s %9s %11s%s %17s %15s%n", first, "p50 us", "p99 us",
                        "p99.9 us", "per second", ratio, "CPU ns each s | r", "B each s | r");
    }

    private String stream(String title, List<Sample> rounds) {
        double[] rates = rounds.stream().mapToDouble(Sample::perSecond).toArray();
        double rate = Summary.median(rates);
        String range = Double.isFinite(rate)
                ? String.format("%9s–%9s", millions(Summary.min(rates)), millions(Summary.max(rates))) : Summary.NOT_MEASURED;
        return String.format(Locale.ROOT, "%-48s %9s %19s %8s%s %s%n", title, millions(rate), range,
                figure("%.0f", rate * work.size() / 1e6), ratio(rounds), costs(rounds));
    }

    private static String millions(double rate) {
        return figure(rate < 10_000 ? "%.6f" : "%.3f", rate / 1e6);
    }

    private String trips(String title, List<Sample> rounds) {
        return String.format(Locale.ROOT, "%-48s %9s %9s %9s %11s%s %s%n", title, micros(rounds, Outcome::p50),
                micros(rounds, Outcome::p99), micros(rounds, Outcome::p999), figure("%,.0f", median(rounds, Sample::perSecond)),
                ratio(rounds), costs(rounds));
    }

    private static String micros(List<Sample> rounds, ToLongFunction<Outcome> percentile) {
        return figure("%.1f", median(rounds, sample -> Outcome.nanos(percentile.applyAsLong(sample.sent()))) / 1e3);
    }

    private static String costs(List<Sample> rounds) {
        return String.format(Locale.ROOT, "%8s |%7s %7s |%6s", cost(rounds, Sample::sent, Outcome::cpuPerMessage),
                cost(rounds, Sample::received, Outcome::cpuPerMessage), cost(rounds, Sample::sent, Outcome::allocatedPerMessage),
                cost(rounds, Sample::received, Outcome::allocatedPerMessage));
    }

    private static String cost(List<Sample> rounds, Function<Sample, Outcome> side, ToDoubleFunction<Outcome> figure) {
        return figure("%.0f", median(rounds, sample -> figure.applyAsDouble(side.apply(sample))));
    }

    private boolean hasRatios() {
        return samples.values().stream().anyMatch(rounds -> Double.isFinite(middleRatio(rounds)));
    }

    /** A cell; nothing where the column is not there. */
    private String ratio(List<Sample> rounds) {
        return hasRatios() ? String.format(" %15s", figure("%.2f", middleRatio(rounds))) : "";
    }

    /** Returns the middle of the ratios of this one's rate to that of the base in the same round. */
    private double middleRatio(List<Sample> rounds) {
        List<Sample> others = samples.getOrDefault(base, List.of());
        return Summary.median(IntStream.range(0, Math.min(rounds.size(), others.size()))
                .mapToDouble(i -> rounds.get(i).perSecond() / others.get(i).perSecond()).toArray());
    }

    /** Why figures are missing, if some are. */
    String footnote() {
        List<String> reasons = new ArrayList<>();
        if (samples.values().stream().flatMap(List::stream).anyMatch(sample -> sample.sent().allocated() < 0)) {
            reasons.add("C has no heap, and does not clock its sender");
        }
        if (samples.values().stream().flatMap(List::stream).anyMatch(Results::isTooShort)) {
            reasons.add("a round was too short for what it had to measure: --seconds makes them longer");
        }
        return reasons.isEmpty() ? "" : String.format("%n%s not measured: %s", Summary.NOT_MEASURED, String.join("; ", reasons));
    }

    private static boolean isTooShort(Sample sample) {
        return !Double.isFinite(sample.perSecond()) || isUntimed(sample.sent()) || isUntimed(sample.received());
    }

    /** True for outcomes of those that clock themselves. */
    private static boolean isUntimed(Outcome outcome) {
        return outcome.allocated() >= 0 && !Double.isFinite(outcome.cpuPerMessage());
    }

    Work work() {
        return work;
    }

    /** The middle of what a contender's rounds saw. */
    record Figures(double perSecond, double p50, double p99, double p999, double cpuNanos) {
    }

    /** For a chart: {@code figures} of each contender, and what is said of them. */
    List<Chart.Row> rows(Function<Figures, List<Double>> figures, String format) {
        return samples.entrySet().stream().map(entry -> {
            List<Sample> rounds = entry.getValue();
            List<Double> values = figures.apply(new Figures(median(rounds, Sample::perSecond),
                    median(rounds, sample -> Outcome.nanos(sample.sent().p50())),
                    median(rounds, sample -> Outcome.nanos(sample.sent().p99())),
                    median(rounds, sample -> Outcome.nanos(sample.sent().p999())),
                    median(rounds, sample -> sample.sent().cpuPerMessage() + sample.received().cpuPerMessage())));
            boolean measured = values.stream().allMatch(Double::isFinite);
            List<Double> drawn = measured ? values : Collections.nCopies(values.size(), 0.0);
            return new Chart.Row(entry.getKey(), isOwn(entry.getKey()), drawn, measured
                    ? String.format(Locale.ROOT, format, values.toArray()) : "not measured");
        }).toList();
    }

    private static boolean isOwn(String title) {
        return Stream.of("RAW ", "PAGE ", "STREAM ").anyMatch(title::startsWith);
    }

    /**
     * One object: the work, and of each contender every round's rate and, there and back, percentiles in ns; null where nothing
     * was measured.
     */
    String json() {
        return String.format(Locale.ROOT, "{\"mode\":\"%s\",\"size\":%d,\"inFlight\":%d,\"waiting\":\"%s\",\"contenders\":"
                + "{%s}}",
                work.mode(), work.size(), work.inFlight(), work.waiting(), samples.entrySet().stream().map(entry ->
                        "\"" + entry.getKey() + "\":" + entry.getValue().stream().map(Results::json).toList())
                        .collect(Collectors.joining(",")));
    }

    private static String json(Sample sample) {
        Outcome sent = sample.sent();
        Outcome received = sample.received();
        return String.format(Locale.ROOT, "{\"perSecond\":%s,\"p50\":%s,\"p99\":%s,\"p999\":%s,\"cpu\":[%s,%s],"
                + "\"allocated\":[%s,%s]}", Summary.json("%.1f", sample.perSecond()),
                Summary.json("%.0f", Outcome.nanos(sent.p50())),
                Summary.json("%.0f", Outcome.nanos(sent.p99())), Summary.json("%.0f", Outcome.nanos(sent.p999())),
                Summary.json("%.0f", sent.cpuPerMessage()), Summary.json("%.0f", received.cpuPerMessage()),
                Summary.json("%.1f", sent.allocatedPerMessage()), Summary.json("%.1f", received.allocatedPerMessage()));
    }

    private static double median(List<Sample> rounds, ToDoubleFunction<Sample> figure) {
        return Summary.median(rounds.stream().mapToDouble(figure).toArray());
    }
}
