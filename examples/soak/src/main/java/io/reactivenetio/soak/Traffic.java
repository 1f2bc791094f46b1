// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.examples.conformance.Line;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** Everything at once for a long time: what a process holds must not grow with it. */
final class Traffic implements Campaign {
    private static final double SHARE = 11;
    /** A day at 1 kHz, and with a connect each second. */
    private static final double MESSAGES_PER_SECOND = 86_400_000 / (SHARE * 60);
    private static final double CONNECTS_PER_SECOND = 86_400 / (SHARE * 60);
    /** A short run may be one on a machine that does something else. */
    private static final double OF_A_SHORT_RUN = 0.2;
    private static final int SAMPLES = 12;
    private static final int WARM_UP = 10;
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final double MORE_TAIL = 1.2;
    private static final long TAIL_NOISE_MICROS = 10_000;
    private static final double MORE = 1.1;
    private static final long MEGA = 1 << 20;
    private static final long HEAP_NOISE = 8 * MEGA;
    private static final long RSS_NOISE = 48 * MEGA;
    /** Connections that are being closed at a moment still have descriptors. */
    private static final long DESCRIPTORS_NOISE = 40;
    private static final long THREADS_NOISE = 4;

    @Override
    public String name() {
        return "traffic";
    }

    @Override
    public String about() {
        return "streams of all sizes, each policy of publishers, requests, leases, a recording, and connections that end";
    }

    @Override
    public double share() {
        return SHARE;
    }

    @Override
    public Map<String, Role> roles() {
        return Map.of("traffic-server", TrafficServer::run, "traffic-client", TrafficClient::run);
    }

    @Override
    public void run(Ground ground) throws Exception {
        List<TrafficWay> ways = new ArrayList<>();
        for (TrafficWay way : TrafficWay.values()) {
            Optional<String> missing = way.mechanism().unavailability();
            if (missing.isEmpty()) {
                ways.add(way);
            } else {
                ground.check("traffic over " + way, "where the machine allows it", "not tried: " + missing.get(), true);
            }
        }
        Path directory = Files.createTempDirectory("netio-soak");
        try {
            run(ground, ways, directory);
        } finally {
            remove(directory);
        }
    }

    private static void run(Ground ground, List<TrafficWay> ways, Path directory) throws InterruptedException {
        Worker server = ground.start("traffic-server", ways.toArray());
        String[] ports = server.await("ready", LIMIT).get("ports").split(",");
        List<Object> arguments = new ArrayList<>(ground.planted());
        arguments.add(directory);
        for (int i = 0; i < ways.size(); i++) {
            arguments.add(ways.get(i));
            arguments.addAll(Arrays.asList(ports).subList(3 * i, 3 * i + 3));
        }
        Worker client = ground.start("traffic-client", arguments.toArray());
        client.await("started", LIMIT);
        long start = System.nanoTime();
        long time = ground.time().toNanos();
        TimeUnit.NANOSECONDS.sleep(time / WARM_UP);
        List<Line> lines = new ArrayList<>();
        List<ProcessFacts> served = new ArrayList<>();
        List<ProcessFacts> asked = new ArrayList<>();
        client.tell("reset");
        for (int i = 1; i <= SAMPLES; i++) {
            long due = start + time / WARM_UP + (time - time / WARM_UP) / SAMPLES * i;
            TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
            client.tell("sample");
            lines.add(client.await("sample", LIMIT));
            Line last = lines.getLast();
            ground.progress(String.format(Locale.ROOT, "%,d messages, %,d connects, %,d faults", last.longNumber("messages"),
                    last.longNumber("connects"), last.longNumber("faults")));
            served.add(server.facts());
            asked.add(client.facts());
            client.tell("reset");
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        client.tell("stop");
        Line report = client.await("report", LIMIT);
        client.tell("end");
        client.ended(LIMIT);
        server.tell("stop");
        long left = server.await("left", LIMIT).longNumber("connections");
        check(ground, ways, seconds, report, left);
        flat(ground, "server", served);
        flat(ground, "client", asked);
        tail(ground, lines);
    }

    private static void check(Ground ground, List<TrafficWay> ways, double seconds, Line report, long left) {
        double part = ground.time().toMinutes() >= (long) SHARE ? 1 : OF_A_SHORT_RUN;
        double leastMessages = part * MESSAGES_PER_SECOND * seconds;
        double leastConnects = part * CONNECTS_PER_SECOND * seconds;
        long messages = report.longNumber("messages");
        long connects = report.longNumber("connects");
        ground.check(String.format(Locale.ROOT, "mixed traffic for %.0f s over %s", seconds, ways),
                String.format(Locale.ROOT, "at least %,.0f messages and %,.0f connects; each message whole and in order,"
                        + " or told as missing where its policy allows that", leastMessages, leastConnects),
                String.format(Locale.ROOT, "%,d messages, %,d connects, %,d answers, %,d told as missing, %,d recorded; %s",
                        messages, connects, report.longNumber("answers"), report.longNumber("missing"),
                        report.longNumber("recorded"),
                        report.get("text")),
                messages >= leastMessages && connects >= leastConnects && report.longNumber("answers") > 0
                        && report.longNumber("recorded") > 0 && report.longNumber("faults") == 0);
        ground.check(String.format(Locale.ROOT, "%,d leases, and the end of everything", report.longNumber("leases")),
                "no buffer is leased, and no connection is left",
                report.longNumber("leased") + " leased, " + left + " connections",
                report.longNumber("leased") == 0 && left == 0);
        if (report.longNumber("planted") > 0) {
            ground.check("planted: " + report.longNumber("planted") + " faults", "rows before this one fail", "see there", true);
        }
    }

    private static void flat(Ground ground, String who, List<ProcessFacts> facts) {
        StringBuilder seen = new StringBuilder();
        boolean holds = grows(seen, "heap MiB", facts, ProcessFacts::heap, HEAP_NOISE, MEGA);
        holds &= grows(seen, "RSS MiB", facts, ProcessFacts::rss, RSS_NOISE, MEGA);
        holds &= grows(seen, "direct MiB", facts, ProcessFacts::direct, HEAP_NOISE, MEGA);
        holds &= grows(seen, "descriptors", facts, ProcessFacts::descriptors, DESCRIPTORS_NOISE, 1);
        holds &= grows(seen, "threads", facts, ProcessFacts::threads, THREADS_NOISE, 1);
        ground.check("what the " + who + " holds, first and last third of the time", String.format(Locale.ROOT,
                "at most a tenth more, and %d MiB of heap, %d MiB of RSS, %d descriptors, %d threads", HEAP_NOISE / MEGA,
                RSS_NOISE / MEGA, DESCRIPTORS_NOISE, THREADS_NOISE), seen.toString(), holds);
    }

    private static boolean grows(StringBuilder seen, String what, List<ProcessFacts> facts, ToLongFunction<ProcessFacts> of,
            long noise, long unit) {
        List<Long> all = facts.stream().map(of::applyAsLong).toList();
        long first = Samples.median(all.subList(0, SAMPLES / 3));
        long last = Samples.median(all.subList(SAMPLES - SAMPLES / 3, SAMPLES));
        seen.append(seen.isEmpty() ? "" : ", ").append(what + ' ' + first / unit + " and " + last / unit);
        return last <= first * MORE + noise;
    }

    private static void tail(Ground ground, List<Line> lines) {
        List<Long> all = lines.stream().map(line -> line.longNumber("tail")).toList();
        // the best of each third: whatever else the machine does only adds to it
        long first = Collections.min(all.subList(0, SAMPLES / 3));
        long last = Collections.min(all.subList(SAMPLES - SAMPLES / 3, SAMPLES));
        ground.check("the 99.9th percentile of the time of a request, the best of four samples",
                "in the last third at most 1.2 times that of the first, and " + TAIL_NOISE_MICROS / 1_000 + " ms",
                String.format(Locale.ROOT, "%,d and %,d us", first, last),
                last <= first * MORE_TAIL + TAIL_NOISE_MICROS);
    }

    private static void remove(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }
}
