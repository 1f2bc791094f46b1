// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.Framing;
import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Pair.Sample;
import io.reactivenetio.benchmarks.Summary;
import io.reactivenetio.benchmarks.Work;
import io.reactivenetio.benchmarks.Work.Mode;
import io.reactivenetio.benchmarks.Work.Waiting;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

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

    String table() {
        return (heading() + lines()).stripTrailing();
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

    /** With other words on the left. */
    String heading(String first) {
        String ratio = base.isEmpty() ? "" : "× " + base;
        return work.mode() == Mode.STREAM
                ? String.format(Locale.ROOT, "%n%-48s %9s %19s %8s %9s %17s %15s%n", first, "M msg/s", "min–max", "MB/s",
                        ratio, "CPU ns/msg s | r", "B/msg s | r")
                : String.format(Locale.ROOT, "%n%-48s %9s %9s %9s %11s %9s %17s %15s%n", first, "p50 us", "p99 us",
                        "p99.9 us", "per second", ratio, "CPU ns each s | r", "B each s | r");
    }

    private String stream(String title, List<Sample> rounds) {
        double[] rates = rounds.stream().mapToDouble(Sample::perSecond).toArray();
        double rate = Summary.median(rates);
        return String.format(Locale.ROOT, "%-48s %9s %9s–%9s %8.0f %9s %s%n", title, millions(rate), millions(Summary.min(rates)),
                millions(Summary.max(rates)), rate * work.size() / 1e6, ratio(rounds), costs(rounds));
    }

    private static String millions(double rate) {
        return String.format(Locale.ROOT, rate < 10_000 ? "%.6f" : "%.3f", rate / 1e6);
    }

    private String trips(String title, List<Sample> rounds) {
        return String.format(Locale.ROOT, "%-48s %9.1f %9.1f %9.1f %,11.0f %9s %s%n", title,
                median(rounds, sample -> sample.sent().p50()) / 1e3, median(rounds, sample -> sample.sent().p99()) / 1e3,
                median(rounds, sample -> sample.sent().p999()) / 1e3, median(rounds, Sample::perSecond), ratio(rounds),
                costs(rounds));
    }

    private static String costs(List<Sample> rounds) {
        return String.format(Locale.ROOT, "%8s |%7s %7s |%6s", cost(rounds, Sample::sent, true),
                cost(rounds, Sample::received, true), cost(rounds, Sample::sent, false), cost(rounds, Sample::received, false));
    }

    private static String cost(List<Sample> rounds, Function<Sample, Outcome> side, boolean cpu) {
        double[] costs = rounds.stream().map(side).filter(outcome -> (cpu ? outcome.cpu() : outcome.allocated()) >= 0)
                .mapToDouble(outcome -> cpu ? outcome.cpuPerMessage() : outcome.allocatedPerMessage()).toArray();
        return costs.length == 0 ? "–" : String.format(Locale.ROOT, "%.0f", Summary.median(costs));
    }

    /** Of the rate of this one to that of the base in the same round. */
    private String ratio(List<Sample> rounds) {
        List<Sample> others = samples.getOrDefault(base, List.of());
        double[] ratios = IntStream.range(0, Math.min(rounds.size(), others.size()))
                .mapToDouble(i -> rounds.get(i).perSecond() / others.get(i).perSecond()).toArray();
        return ratios.length == 0 ? "" : String.format(Locale.ROOT, "%.2f", Summary.median(ratios));
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
                    median(rounds, sample -> sample.sent().p50()), median(rounds, sample -> sample.sent().p99()),
                    median(rounds, sample -> sample.sent().p999()),
                    median(rounds, sample -> sample.sent().cpuPerMessage() + sample.received().cpuPerMessage())));
            return new Chart.Row(entry.getKey(), isOwn(entry.getKey()), values,
                    String.format(Locale.ROOT, format, values.toArray()));
        }).toList();
    }

    private static boolean isOwn(String title) {
        return Arrays.stream(Framing.values()).anyMatch(framing -> title.startsWith(framing.name() + " "));
    }

    /** One object: the work, and of each contender every round's rate and, there and back, percentiles in ns. */
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
        return String.format(Locale.ROOT, "{\"perSecond\":%.1f,\"p50\":%d,\"p99\":%d,\"p999\":%d,\"cpu\":[%.0f,%.0f],"
                + "\"allocated\":[%.1f,%.1f]}", sample.perSecond(), sent.p50(), sent.p99(), sent.p999(), sent.cpuPerMessage(),
                received.cpuPerMessage(), sent.allocatedPerMessage(), received.allocatedPerMessage());
    }

    private static double median(List<Sample> rounds, ToDoubleFunction<Sample> figure) {
        return Summary.median(rounds.stream().mapToDouble(figure).toArray());
    }
}
