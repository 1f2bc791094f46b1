// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import io.reactivenetio.benchmarks.Work.Mode;
import io.reactivenetio.benchmarks.Work.Waiting;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Compares the library with a C program on libfabric. */
@Command(name = "bench", description = {"Compare with a C program on libfabric that does the same work.",
    "Both run over loopback, sender and receiver in processes of their own, round by round in turn. Ratios are Java / C of each"
        + " round: median and worst."})
public final class BenchCommand implements Callable<Integer> {
    private static final int SMALLEST = 8;
    private static final List<Integer> ALL_SIZES = List.of(64, 1024, 4096, 16384, 61440, 262144);
    private static final int LARGEST = 1 << 24;
    private static final int ROUND_TRIP_SIZE = 64;
    private static final long QUICK_MILLIS = 100;
    private static final List<String> CONNECTIONS = List.of(Pair.FLOW, Pair.STREAM);

    @Option(names = "--sizes", split = ",", paramLabel = "BYTES", description = "Of the streams' messages, 8 to 16777216; round"
            + " trips have 64 bytes. Default: 64,1024,4096,16384,61440,262144. (65536 would be bimodal on loopback.)")
    private @Nullable List<Integer> sizes;

    @Option(names = "--in-flight", split = ",", paramLabel = "N", description = "The streams' buffers on each side, 1 to 4096."
            + " Default: 8,64.")
    private @Nullable List<Integer> inFlight;

    @Option(names = "--mode", paramLabel = "MODE", description = "stream, roundtrip or all. Default: all.")
    private String mode = "all";

    @Option(names = "--wait", paramLabel = "HOW", description = "spin, sleep or all. Default: all.")
    private String wait = "all";

    @Option(names = "--provider", paramLabel = "NAME", description = "libfabric's provider, one that takes connections to"
            + " 127.0.0.1. Default: ${DEFAULT-VALUE}.")
    private String provider = "tcp";

    @Option(names = "--connection", description = "Streams also through NetioConnection, with RAW and STREAM framing, where the"
            + " wait is sleep: not with --wait spin or --mode roundtrip.")
    private boolean connection;

    @Option(names = "--syscalls", description = "Count system calls with strace, in one more round of each.")
    private boolean syscalls;

    @Option(names = "--peers", description = "Compare with other libraries instead, which ./netio builds for that:"
            + " ./netio bench --peers --help.")
    private boolean peers;

    @Option(names = "--micro", description = "Measure the pieces of the library one by one instead:"
            + " ./netio bench --micro --help.")
    private boolean micro;

    @Mixin
    private final RoundOptions options = new RoundOptions();

    /** Called by picocli. */
    public BenchCommand() {
    }

    @Override
    public Integer call() {
        options.check(!peers, "--peers: run ./netio bench --peers, which builds what it compares with");
        options.check(!micro, "--micro: run ./netio bench --micro, which starts another program");
        List<Work> plan = plan();
        boolean streams = plan.stream().anyMatch(work -> work.mode() == Mode.STREAM);
        options.check(streams || sizes == null && inFlight == null, "--sizes and --in-flight are of streams, and there are none"
                + " with --mode " + mode);
        options.check(!connection || plan.stream().anyMatch(this::throughConnection), "--connection: there are no streams whose"
                + " wait is sleep with --mode " + mode + " --wait " + wait);
        options.check(!syscalls || SystemCalls.canCount(), "--syscalls needs strace, and that it may trace");
        int number = options.rounds();
        try (CProgram program = CProgram.compile();
                Pair c = Pair.start(() -> Worker.c(List.of(), program.executable()),
                        () -> Worker.c(List.of(), program.executable()));
                Pair java = Pair.start(() -> Worker.java(List.of()), () -> Worker.java(List.of()))) {
            options.say("libfabric " + java.libraryVersion() + ", provider " + provider + ", Java " + Runtime.version());
            if (!c.libraryVersion().equals(java.libraryVersion())) {
                throw new BenchFailedException("the C program has libfabric " + c.libraryVersion() + ", Java "
                        + java.libraryVersion(), null);
            }
            warmUp(plan, c, java);
            StringJoiner results = new StringJoiner(",", "{\"libfabric\":\"" + java.libraryVersion() + "\",\"rows\":[", "]}");
            @Nullable Mode heading = null;
            boolean unfilled = false;
            boolean unconnected = false;
            for (Work work : plan) {
                Row row = measure(work, number, c, java);
                if (syscalls) {
                    count(work, row, "C", p -> Worker.c(p, program.executable()));
                    count(work, row, "Java", Worker::java);
                }
                boolean connections = plan.stream().anyMatch(this::throughConnection);
                if (work.mode() != heading) {
                    heading = work.mode();
                    options.say(System.lineSeparator() + Row.header(heading, connections));
                }
                options.say(row.text(connections));
                results.add(row.json());
                unfilled |= row.lacksFigures();
                unconnected |= connections && row.lacksConnections();
            }
            footnotes(unfilled, unconnected);
            if (options.json()) {
                options.print(results.toString());
            }
        }
        return 0;
    }

    private void footnotes(boolean unfilled, boolean unconnected) {
        if (unfilled) {
            options.say(System.lineSeparator() + Summary.NOT_MEASURED + " not measured: the rounds were over before their"
                    + " warm-up. --seconds makes them longer.");
        }
        if (unconnected) {
            options.say(System.lineSeparator() + Summary.NOT_MEASURED + " not measured with wait spin: the loops of"
                    + " NetioConnection always sleep here.");
        }
    }

    /** Everything that will be measured, for a while, so that no round is the first: the same for both. */
    private void warmUp(List<Work> plan, Pair c, Pair java) {
        long millis = options.quick() ? 100 : 2000;
        for (Waiting how : Waiting.values()) {
            for (Mode what : Mode.values()) {
                plan.stream().filter(work -> work.waiting() == how && work.mode() == what).findFirst().ifPresent(work -> {
                    c.run(work.lasting(millis), "");
                    java.run(work.lasting(millis), "");
                    if (throughConnection(work)) {
                        CONNECTIONS.forEach(variant -> java.run(work.lasting(millis), variant));
                    }
                });
            }
        }
    }

    private Row measure(Work work, int number, Pair c, Pair java) {
        Row row = new Row(work);
        for (int round = 0; round < number; round++) {
            row.addC(c.run(work, ""));
            row.addJava(java.run(work, ""));
            if (throughConnection(work)) {
                CONNECTIONS.forEach(variant -> row.addConnection(variant, java.run(work, variant)));
            }
        }
        return row;
    }

    private boolean throughConnection(Work work) {
        return connection && work.mode() == Mode.STREAM && work.waiting() == Waiting.SLEEP;
    }

    private static void count(Work work, Row row, String who, Function<List<String>, Worker> start) {
        SystemCalls calls = SystemCalls.count(work, "", start, start);
        row.addCalls(who + " sender", calls.sender().text());
        row.addCalls(who + " receiver", calls.receiver().text());
    }

    // ---- the plan

    private List<Work> plan() {
        long millis = options.millis(QUICK_MILLIS);
        long warmup = Math.min(300, millis / 2);
        List<Work> plan = new ArrayList<>();
        for (Waiting how : chosen(Waiting.values(), wait, "--wait")) {
            for (Mode what : chosen(Mode.values(), mode, "--mode")) {
                if (what == Mode.ROUNDTRIP) {
                    plan.add(new Work(what, ROUND_TRIP_SIZE, SMALLEST, how, warmup, millis, provider));
                    continue;
                }
                for (int buffers : or(inFlight, options.quick() ? List.of(8) : List.of(8, 64))) {
                    for (int size : or(sizes, options.quick() ? List.of(64, 4096) : ALL_SIZES)) {
                        options.check(size >= SMALLEST && size <= LARGEST, "--sizes: between " + SMALLEST + " and " + LARGEST);
                        options.check(buffers >= 1 && buffers <= 4096, "--in-flight: between 1 and 4096");
                        plan.add(new Work(what, size, buffers, how, warmup, millis, provider));
                    }
                }
            }
        }
        plan.sort(Comparator.comparing(Work::mode));
        return plan;
    }

    private static List<Integer> or(@Nullable List<Integer> given, List<Integer> otherwise) {
        return given != null ? given : otherwise;
    }

    private <E extends Enum<E>> List<E> chosen(E[] all, String name, String option) {
        List<E> chosen = new ArrayList<>();
        for (E each : all) {
            if (name.equals("all") || name.equals(each.name().toLowerCase(Locale.ROOT))) {
                chosen.add(each);
            }
        }
        options.check(!chosen.isEmpty(), option + " " + name + " is not available; there are "
                + Arrays.stream(all).map(each -> each.name().toLowerCase(Locale.ROOT)).collect(Collectors.joining(", "))
                + " and all");
        return chosen;
    }
}
