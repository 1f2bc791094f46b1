// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import static io.reactivenetio.benchmarks.Summary.max;
import static io.reactivenetio.benchmarks.Summary.median;
import static io.reactivenetio.benchmarks.Summary.min;

import io.reactivenetio.benchmarks.Pair.Sample;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** All rounds of one kind of work. Ratios are taken round by round: what slows the machine slows both of a round. */
final class Row {
    private final Work work;
    private final List<Sample> c = new ArrayList<>();
    private final List<Sample> java = new ArrayList<>();
    private final Map<String, List<Sample>> connections = new LinkedHashMap<>();
    private final Map<String, String> calls = new LinkedHashMap<>();

    Row(Work work) {
        this.work = work;
    }

    void addC(Sample sample) {
        c.add(sample);
    }

    void addJava(Sample sample) {
        java.add(sample);
    }

    /** Through NetioConnection, with the framing that {@code variant} stands for. */
    void addConnection(String variant, Sample sample) {
        connections.computeIfAbsent(variant, name -> new ArrayList<>()).add(sample);
    }

    void addCalls(String who, String perMessage) {
        calls.put(who, perMessage);
    }

    static String header(Work.Mode mode) {
        return mode == Work.Mode.STREAM
                ? String.format("%7s %9s %-5s %10s %10s %-12s %8s %8s %8s  %s", "size", "in flight", "wait", "C msg/s",
                        "Java msg/s", " ratio (min)", "C MB/s", "Java", "B/msg",
                        "NetioConnection with RAW framing, with STREAM: msg/s, ratio (min), B/msg")
                : String.format("%7s %-5s %9s %9s %-12s %9s %9s %8s", "size", "wait", "C p50 us", "Java", " ratio (max)",
                        "C p99 us", "Java", "B/msg");
    }

    String text() {
        StringBuilder text = new StringBuilder(work.mode() == Work.Mode.STREAM ? stream() : roundTrips());
        calls.forEach((who, perMessage) -> text.append(String.format("%n%17s%s: system calls/msg %s", "", who, perMessage)));
        return text.toString();
    }

    private String stream() {
        double cRate = median(rates(c));
        double javaRate = median(rates(java));
        double[] ratios = ratios(java, Sample::perSecond);
        String row = String.format("%7d %9d %-5s %10.0f %10.0f  %.2f (%.2f)  %8.0f %8.0f %8.2f", work.size(), work.inFlight(),
                work.waitName(), cRate, javaRate, median(ratios), min(ratios), megabytes(cRate), megabytes(javaRate),
                allocated(java));
        StringBuilder text = new StringBuilder(row);
        connections.values().forEach(samples -> {
            double[] flowRatios = ratios(samples, Sample::perSecond);
            text.append(String.format("  %10.0f  %.2f (%.2f) %8.2f", median(rates(samples)), median(flowRatios), min(flowRatios),
                    allocated(samples)));
        });
        return text.toString();
    }

    private String roundTrips() {
        double[] ratios = ratios(java, sample -> sample.sent().p50());
        return String.format("%7d %-5s %9.1f %9.1f  %.2f (%.2f)  %9.1f %9.1f %8.2f", work.size(), work.waitName(),
                micros(c, true), micros(java, true), median(ratios), max(ratios), micros(c, false), micros(java, false),
                allocated(java));
    }

    /** One JSON object. */
    String json() {
        StringBuilder json = new StringBuilder(String.format("{\"mode\":\"%s\",\"size\":%d,\"inFlight\":%d,\"wait\":\"%s\"",
                work.mode(), work.size(), work.inFlight(), work.waiting()));
        append(json, "c", c);
        append(json, "java", java);
        connections.forEach((variant, samples) -> append(json, "netioConnection" + variant, samples));
        calls.forEach((who, text) -> json.append(String.format(",\"calls %s\":\"%s\"", who, text)));
        return json.append('}').toString();
    }

    private static void append(StringBuilder json, String name, List<Sample> samples) {
        json.append(",\"").append(name).append("\":[");
        for (int i = 0; i < samples.size(); i++) {
            Sample s = samples.get(i);
            json.append(i == 0 ? "" : ",").append(String.format(
                    "{\"perSecond\":%.1f,\"p50Nanos\":%d,\"p99Nanos\":%d,\"allocatedPerMessage\":%.4f}", s.perSecond(),
                    s.sent().p50(), s.sent().p99(), s.allocatedPerMessage()));
        }
        json.append(']');
    }

    private double[] ratios(List<Sample> others, ToDoubleFunction<Sample> value) {
        return IntStream.range(0, others.size())
                .mapToDouble(i -> value.applyAsDouble(others.get(i)) / value.applyAsDouble(c.get(i)))
                .toArray();
    }

    private static double[] rates(List<Sample> samples) {
        return samples.stream().mapToDouble(Sample::perSecond).toArray();
    }

    private static double micros(List<Sample> samples, boolean half) {
        return median(samples.stream().mapToDouble(s -> (half ? s.sent().p50() : s.sent().p99()) / 1000.0).toArray());
    }

    private static double allocated(List<Sample> samples) {
        return median(samples.stream().mapToDouble(Sample::allocatedPerMessage).toArray());
    }

    private double megabytes(double perSecond) {
        return perSecond * work.size() / 1e6;
    }
}
