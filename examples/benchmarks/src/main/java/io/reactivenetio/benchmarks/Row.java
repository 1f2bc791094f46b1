// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import static io.reactivenetio.benchmarks.Summary.max;
import static io.reactivenetio.benchmarks.Summary.median;
import static io.reactivenetio.benchmarks.Summary.min;
import static io.reactivenetio.benchmarks.Summary.figure;

import io.reactivenetio.benchmarks.Pair.Sample;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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

    /**
     * What is over the columns of {@link #text}.
     *
     * @param connections whether some row of this mode has figures through NetioConnection
     */
    static String header(Work.Mode mode, boolean connections) {
        if (mode == Work.Mode.ROUNDTRIP) {
            return plain("%7s %-5s %9s %9s %13s %9s %9s %8s", "size", "wait", "C p50 us", "Java", "ratio (max)",
                    "C p99 us", "Java", "B/msg");
        }
        String stream = plain("%7s %9s %-5s %10s %10s %13s %8s %8s %8s", "size", "in flight", "wait", "C msg/s",
                "Java msg/s", "ratio (min)", "C MB/s", "Java", "B/msg");
        return connections ? plain("%s  %10s %13s %8s  %12s %13s %8s", stream, "RAW msg/s", "ratio (min)", "B/msg",
                "STREAM msg/s", "ratio (min)", "B/msg") : stream;
    }

    /** Its figures, {@link Summary#NOT_MEASURED} in place of each that there is not. */
    String text(boolean withConnections) {
        StringBuilder text = new StringBuilder(work.mode() == Work.Mode.STREAM ? stream() : roundTrips());
        if (withConnections && work.mode() == Work.Mode.STREAM) {
            text.append(through("  %10s %13s %8s", Pair.FLOW)).append(through("  %12s %13s %8s", Pair.STREAM));
        }
        calls.forEach((who, perMessage) -> text.append(plain("%n%17s%s: system calls/msg %s", "", who, perMessage)));
        return text.toString();
    }

    /** Whether it has none through NetioConnection. */
    boolean lacksConnections() {
        return work.mode() == Work.Mode.STREAM && connections.isEmpty();
    }

    /** Whether a figure is missing that was to be there. */
    boolean lacksFigures() {
        boolean streams = work.mode() == Work.Mode.STREAM;
        double all = streams ? median(rates(c)) + median(rates(java)) : micros(c, true) + micros(java, true);
        for (List<Sample> samples : connections.values()) {
            all += median(rates(samples));
        }
        return !Double.isFinite(all);
    }

    private String stream() {
        double cRate = median(rates(c));
        double javaRate = median(rates(java));
        double[] ratios = ratios(java, Sample::perSecond);
        return plain("%7d %9d %-5s %10s %10s %13s %8s %8s %8s", work.size(), work.inFlight(), work.waitName(),
                figure("%.0f", cRate), figure("%.0f", javaRate), ratio(ratios, min(ratios)), figure("%.0f", megabytes(cRate)),
                figure("%.0f", megabytes(javaRate)), figure("%.2f", allocated(java)));
    }

    private String through(String format, String variant) {
        List<Sample> samples = connections.getOrDefault(variant, List.of());
        double[] ratios = ratios(samples, Sample::perSecond);
        return plain(format, figure("%.0f", median(rates(samples))), ratio(ratios, min(ratios)),
                figure("%.2f", allocated(samples)));
    }

    private String roundTrips() {
        double[] ratios = ratios(java, sample -> Outcome.nanos(sample.sent().p50()));
        return plain("%7d %-5s %9s %9s %13s %9s %9s %8s", work.size(), work.waitName(), figure("%.1f", micros(c, true)),
                figure("%.1f", micros(java, true)), ratio(ratios, max(ratios)), figure("%.1f", micros(c, false)),
                figure("%.1f", micros(java, false)), figure("%.2f", allocated(java)));
    }

    private static String ratio(double[] ratios, double worst) {
        double middle = median(ratios);
        return Double.isFinite(middle) ? figure("%.2f", middle) + figure(" (%.2f)", worst) : Summary.NOT_MEASURED;
    }

    /** Whatever the language of the user: digits of another script are none in JSON. */
    @SuppressWarnings("AnnotateFormatMethod") // its annotations are in no dependency
    private static String plain(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    /** One JSON object. */
    String json() {
        StringBuilder json = new StringBuilder(plain("{\"mode\":\"%s\",\"size\":%d,\"inFlight\":%d,\"wait\":\"%s\"",
                work.mode(), work.size(), work.inFlight(), work.waiting()));
        append(json, "c", c);
        append(json, "java", java);
        connections.forEach((variant, samples) -> append(json, "netioConnection" + variant, samples));
        calls.forEach((who, text) -> json.append(plain(",\"calls %s\":\"%s\"", who, text)));
        return json.append('}').toString();
    }

    private static void append(StringBuilder json, String name, List<Sample> samples) {
        json.append(",\"").append(name).append("\":[");
        for (int i = 0; i < samples.size(); i++) {
            Sample s = samples.get(i);
            json.append(i == 0 ? "" : ",").append("{\"perSecond\":").append(Summary.json("%.1f", s.perSecond()))
                    .append(",\"p50Nanos\":").append(Summary.json("%.0f", Outcome.nanos(s.sent().p50())))
                    .append(",\"p99Nanos\":").append(Summary.json("%.0f", Outcome.nanos(s.sent().p99())))
                    .append(",\"allocatedPerMessage\":").append(Summary.json("%.4f", s.allocatedPerMessage())).append('}');
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
        return median(samples.stream().mapToDouble(s -> Outcome.nanos(half ? s.sent().p50() : s.sent().p99()) / 1000).toArray());
    }

    private static double allocated(List<Sample> samples) {
        return median(samples.stream().mapToDouble(Sample::allocatedPerMessage).toArray());
    }

    private double megabytes(double perSecond) {
        return perSecond * work.size() / 1e6;
    }
}
