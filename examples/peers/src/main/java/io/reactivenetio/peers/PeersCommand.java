// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.benchmarks.BenchFailedException;
import io.reactivenetio.benchmarks.BenchMain;
import io.reactivenetio.benchmarks.BuildVersion;
import io.reactivenetio.benchmarks.CProgram;
import io.reactivenetio.benchmarks.Pair.Sample;
import io.reactivenetio.benchmarks.RoundOptions;
import io.reactivenetio.benchmarks.Summary;
import io.reactivenetio.benchmarks.SystemCalls;
import io.reactivenetio.benchmarks.Work;
import io.reactivenetio.benchmarks.Work.Mode;
import io.reactivenetio.benchmarks.Work.Waiting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The library beside what users would take instead. */
@Command(name = "netio bench --peers", versionProvider = BuildVersion.class, mixinStandardHelpOptions = true, description = {
    "Compare with what else brings messages from one process to another.",
    "Each has two processes of its own over loopback; rounds in turn, so that what slows the machine slows all. Every receiver"
        + " checks the numbers of all messages. A round in which others used the machine is repeated."})
public final class PeersCommand implements Callable<Integer> {
    private static final int SMALLEST = 8;
    private static final int LARGEST = 1 << 22;
    private static final int TRIP_SIZE = 64;
    private static final int BUFFERS = 64;
    private static final int REPEATS = 3;
    private static final long QUICK_MILLIS = 200;
    /** The warm-up of a round: so long a process that was idle needs until its memory is back and its code compiled. */
    private static final long WARM_UP_MILLIS = 2_000;
    private static final String C = "C, one message each";
    private static final String C_PACKING = "C, packing pages";
    private static final List<String> MODES = List.of("all", "stream", "roundtrip", "growth", "pipelines");
    /** The settings of this library that {@code --quick} shows. */
    private static final List<String> QUICK = List.of("STREAM receive(decoder), one buffer", "STREAM receive(), one buffer",
            "PAGE receive(decoder), one buffer", "STREAM request(), respond()", "STREAM send(receive())");

    @Option(names = "--sizes", split = ",", paramLabel = "BYTES", description = "Of the streams' messages. Default:"
            + " 64,1024,4096,65536,1048576.")
    private @Nullable List<Integer> sizes;

    @Option(names = "--mode", paramLabel = "MODE", description = "stream, roundtrip, growth, all of these, or"
            + " pipelines: what programs do with what they receive, behind Reactor Netty and here. Default: all.")
    private String mode = "all";

    @Option(names = "--only", paramLabel = "TEXT", description = "Those whose name has this in it, and Reactor Netty;"
            + " with --mode growth the tables whose title has it, or lines as \"opening 100, verbs\"; with --mode pipelines the"
            + " pipelines.")
    private String only = "";

    @Option(names = "--spin", description = "With --mode growth: loops that never sleep.")
    private boolean spin;

    @Option(names = "--html", paramLabel = "FILE", description = "A page with charts. Default: ${DEFAULT-VALUE}.")
    private Path html = Path.of("bench.html");

    @Option(names = "--svg", paramLabel = "FOLDER", description = "The charts as files of their own, too.")
    private @Nullable Path svg;

    @Option(names = "--syscalls", description = "Count the system calls for each message with strace, too.")
    private boolean syscalls;

    @Option(names = "--tls", description = "Only streams: over TLS 1.3, each beside the same without it.")
    private boolean tls;

    @Option(names = "--guard", description = "Only check, in a minute, that nothing is much worse than it was: what each"
            + " message allocates and asks of the kernel, and coarse ratios. Exit code 1 if it is.")
    private boolean guard;

    @Mixin
    private final RoundOptions options = new RoundOptions();

    private final StringJoiner results = new StringJoiner(",", "[", "]");
    private int rounds;
    private int repeated;
    private boolean failed;

    PeersCommand() {
    }

    /** Runs the command and exits with its code. */
    public static void main(String[] args) {
        BenchMain.run(new PeersCommand(), args);
    }

    @Override
    public Integer call() {
        options.check(MODES.contains(mode), "--mode " + mode + " is none of " + String.join(", ", MODES));
        options.check(!guard || !options.json(), "--guard has no JSON: it tells a line for each figure, and its exit code");
        if (guard) {
            return new Guard(options).check() ? ExitCode.OK : ExitCode.SOFTWARE;
        }
        options.check(!syscalls || SystemCalls.canCount(), "--syscalls needs strace, and that it may trace");
        options.check(!spin || mode.equals("growth"), "--spin is for --mode growth; in --mode roundtrip, some spin anyway");
        options.check(!tls || wants("stream"), "--tls is for --mode stream");
        rounds = options.rounds();
        List<Integer> usual = options.quick() ? List.of(64, 4096) : List.of(64, 1024, 4096, 65536, 1 << 20);
        List<Work> streams = wants("stream") ? streams(usual) : List.of();
        List<Work> trips = wants("roundtrip") && !tls ? trips() : List.of();
        GrowthPlan plan = new GrowthPlan(options.millis(QUICK_MILLIS), spin ? Waiting.SPIN : Waiting.SLEEP);
        List<GrowthPlan.Block> blocks = (options.quick() ? plan.some() : plan.all()).stream()
                .filter(block -> block.title().contains(only)).toList();
        List<Pipeline> pipelines = mode.equals("pipelines") ? Stream.of(Pipeline.values()).filter(pipeline ->
                pipeline.title().contains(only)).toList() : List.of();
        List<Opening> openings = wants("growth") ? plan.openings(options.quick()).stream()
                .filter(opening -> ("opening " + opening.title()).startsWith(only)).toList() : List.of();
        boolean others = mode.equals("growth") && (!blocks.isEmpty() || !openings.isEmpty()) || !pipelines.isEmpty();
        List<String> titles = Stream.concat(Peers.all().values().stream().map(Peer::title), Stream.of(C, C_PACKING,
                CEnd.title(true), CEnd.title(false))).distinct().toList();
        options.check(others || titles.stream().anyMatch(title -> title.contains(only)), "--only " + only
                + " is in no name; they are " + titles);
        String machine = "Java " + Runtime.version() + ", " + Runtime.getRuntime().availableProcessors() + " processors";
        options.say(machine + "; s: sender, r: receiver");
        if (!streams.isEmpty() || !trips.isEmpty()) {
            Peers.all().values().stream().filter(peer -> peer.title().contains(only)).map(Peer::missing).filter(Objects::nonNull)
                    .distinct().forEach(options::say);
        }
        Report report = new Report(machine);
        if (tls || !openings.isEmpty()) {
            Certificate.present(); // the same for all workers
        }
        try (CProgram program = CProgram.compile(); CProgram end = CEnd.compile()) {
            if (tls) {
                race(streams, Peers.sealed(), Peers.SEALED_BASE, Map.of(), report);
            } else {
                race(streams, Peers.streams(), Peers.STREAM_BASE, streamsInC(program, end), report);
            }
            race(trips, Peers.trips(), Peers.TRIPS_BASE, Map.of(C, () -> c(program, "C", "", "libfabric's tcp")),
                    report);
        }
        if (wants("growth") && !tls) {
            blocks.forEach(block -> grow(block, report));
            open(openings, plan.opening(), report);
        }
        for (Pipeline pipeline : pipelines) {
            streams(List.of(64)).forEach(work -> pipeline(pipeline, work, report));
        }
        if (options.json()) {
            options.print(results.toString());
        } else {
            options.say(System.lineSeparator() + "rounds repeated because others used the machine: " + repeated);
        }
        report.writePage(html);
        options.say("charts: " + html.toAbsolutePath());
        if (svg != null) {
            report.writeCharts(svg);
        }
        return failed ? ExitCode.SOFTWARE : ExitCode.OK;
    }

    private boolean wants(String part) {
        return mode.equals("all") || mode.equals(part);
    }

    /** A line for each of {@code block}, in processes of its own. */
    private void grow(GrowthPlan.Block block, Report report) {
        StringBuilder table = new StringBuilder();
        List<Chart.Row> rows = new ArrayList<>();
        String footnote = "";
        for (GrowthPlan.Point point : block.points()) {
            Results line = new Results(point.work(), "");
            try (Contender contender = Contender.java(point.growth().word(), point.growth())) {
                contender.run(point.work(), point.delay());
                for (int round = 0; round < rounds; round++) {
                    line.add(point.title(), run(() -> contender.run(point.work(), point.delay())));
                }
            }
            String text = (table.isEmpty() ? line.heading(block.title()) : "") + line.lines();
            options.say(text.stripTrailing());
            table.append(text);
            results.add(line.json());
            rows.addAll(line.rows(figures -> List.of(figures.perSecond() * point.work().size() / 1e6), "%.1f"));
            footnote = line.footnote().isEmpty() ? footnote : line.footnote();
        }
        if (!footnote.isEmpty()) {
            options.say(footnote.stripLeading());
            table.append(footnote);
        }
        report.add(table.toString());
        report.chart("growth-" + block.name(), Chart.bars(block.title() + ": MB/s", rows));
    }

    /** A line each for Reactor Netty and for this library, in processes of their own. */
    private void pipeline(Pipeline pipeline, Work work, Report report) {
        List<PipelinePeer> peers = PipelinePeer.all(pipeline);
        List<Contender> contenders = new ArrayList<>();
        try {
            peers.forEach(peer -> contenders.add(Contender.java(peer.word(), peer)));
            contenders.forEach(contender -> contender.run(work)); // the JIT compiler's round
            measure(work, contenders, peers.getFirst().title(), report);
        } finally {
            contenders.forEach(Contender::close);
        }
    }

    /** Connections, in new processes for every round: memory that a process has had is not counted again. */
    private void open(List<Opening> openings, Work work, Report report) {
        if (openings.isEmpty()) {
            return;
        }
        StringBuilder table = new StringBuilder(Openings.heading());
        options.say(table.toString().stripTrailing());
        for (Opening opening : openings) {
            List<Sample> samples = new ArrayList<>();
            for (int round = 0; round < rounds; round++) {
                samples.add(run(() -> {
                    try (Contender contender = Contender.java(opening.word(), opening)) {
                        return contender.run(work);
                    }
                }));
            }
            String line = Openings.line(opening, samples);
            options.say(line.stripTrailing());
            table.append(line);
            Results all = new Results(work, "");
            samples.forEach(sample -> all.add("opening, " + opening.title(), sample));
            results.add(all.json());
        }
        if (table.indexOf(Summary.NOT_MEASURED) >= 0) {
            String footnote = Summary.NOT_MEASURED + " not measured: too little for the clocks, or less than before";
            options.say(footnote);
            table.append(footnote);
        }
        report.add(table.toString());
    }

    private static Map<String, Supplier<Contender>> streamsInC(CProgram program, CProgram end) {
        Map<String, Supplier<Contender>> all = new LinkedHashMap<>();
        all.put(C, () -> c(program, C, "", "libfabric's tcp, " + BUFFERS + " buffers, asleep when idle"));
        all.put(C_PACKING, () -> c(program, C_PACKING, "-pages",
                "libfabric's tcp, the pages of PAGE framing, " + BUFFERS + " of 60 KiB, asleep when idle"));
        all.put(CEnd.title(true), () -> CEnd.contender(end, true));
        all.put(CEnd.title(false), () -> CEnd.contender(end, false));
        return all;
    }

    /** All of {@code plan}, by all that are wanted of those {@code inC} and {@code peers}. */
    private void race(List<Work> plan, Map<String, Peer> peers, String baseWord, Map<String, Supplier<Contender>> inC,
            Report report) {
        if (plan.isEmpty()) {
            return;
        }
        Peer base = peers.get(baseWord);
        Map<String, Supplier<Contender>> wanted = new LinkedHashMap<>();
        inC.forEach((title, start) -> want(wanted, title, start));
        peers.forEach((word, peer) -> {
            boolean shown = !options.quick() || tls || !word.contains("/netio/") || QUICK.contains(peer.title());
            if (peer == base || shown && peer.title().contains(only) && peer.missing() == null) {
                want(wanted, peer == base ? "" : peer.title(), () -> Contender.java(word, peer));
            }
        });
        List<Contender> contenders = new ArrayList<>();
        try {
            wanted.values().forEach(start -> contenders.add(start.get()));
            contenders.stream().filter(contender -> contender.does(plan.getFirst()))
                    .forEach(contender -> contender.run(plan.getFirst())); // the JIT compiler's round
            plan.forEach(work -> measure(work, contenders, Objects.requireNonNull(base).title(), report));
            contenders.forEach(report::add);
            if (syscalls) {
                plan.forEach(work -> count(work, contenders, report));
            }
            options.say("");
            contenders.forEach(contender -> options.say(String.format("%-50s %s", contender.title(), contender.settings())));
        } finally {
            contenders.forEach(Contender::close);
        }
    }

    /** The base has no name here: it is always wanted. */
    private void want(Map<String, Supplier<Contender>> wanted, String title, Supplier<Contender> start) {
        if (title.isEmpty() || title.contains(only)) {
            wanted.put(title, start);
        }
    }

    private static Contender c(CProgram program, String title, String variant, String settings) {
        return Contender.c(title, settings, variant, program);
    }

    private void measure(Work work, List<Contender> contenders, String base, Report report) {
        Results all = new Results(work, base);
        for (int round = 0; round < rounds; round++) {
            contenders.stream().filter(contender -> contender.does(work)).forEach(contender -> {
                try {
                    all.add(contender.title(), run(() -> contender.run(work)));
                } catch (BenchFailedException e) {
                    options.say(contender.title() + " has failed with " + work.size() + " bytes: " + e.getMessage());
                    contender.restart();
                    failed = true;
                }
            });
        }
        options.say(all.table());
        report.add(all);
        results.add(all.json());
    }

    private void count(Work work, List<Contender> contenders, Report report) {
        StringBuilder table = new StringBuilder(String.format("%n%-48s %-40s %s%n", work.size() + " bytes, system calls each",
                "sender", "receiver"));
        options.say(table.toString().stripTrailing());
        contenders.stream().filter(contender -> contender.does(work)).forEach(contender -> {
            SystemCalls calls = contender.calls(work);
            String line = String.format("%-48s %-40s %s%n", contender.title(), calls.sender().text(), calls.receiver().text());
            options.say(line.stripTrailing());
            table.append(line);
        });
        report.add(table.toString());
    }

    private Sample run(Supplier<Sample> round) {
        for (int i = 1;; i++) {
            Noise noise = new Noise();
            Sample sample = round.get();
            if (options.quick() || !noise.isLoud() || i == REPEATS) {
                return sample;
            }
            repeated++;
        }
    }

    // ---- the plan

    private long warmup(long millis) {
        return options.quick() ? millis / 2 : Math.max(WARM_UP_MILLIS, millis / 2);
    }

    private List<Work> streams(List<Integer> otherwise) {
        long millis = options.millis(QUICK_MILLIS);
        List<Work> plan = new ArrayList<>();
        for (int size : sizes != null ? sizes : otherwise) {
            options.check(size >= SMALLEST && size <= LARGEST, "--sizes: between " + SMALLEST + " and " + LARGEST);
            plan.add(new Work(Mode.STREAM, size, BUFFERS, Waiting.SLEEP, warmup(millis), millis, "tcp"));
        }
        return plan;
    }

    private List<Work> trips() {
        long millis = options.millis(QUICK_MILLIS);
        List<Work> plan = new ArrayList<>();
        for (int atOnce : List.of(1, 64)) {
            plan.add(new Work(Mode.ROUNDTRIP, TRIP_SIZE, atOnce, Waiting.SLEEP, warmup(millis), millis, "tcp"));
        }
        plan.add(new Work(Mode.ROUNDTRIP, TRIP_SIZE, 1, Waiting.SPIN, warmup(millis), millis, "tcp"));
        return plan;
    }
}
