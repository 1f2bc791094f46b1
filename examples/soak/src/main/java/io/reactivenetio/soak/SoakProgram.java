// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.benchmarks.BuildVersion;
import io.reactivenetio.examples.cli.CliException;
import io.reactivenetio.examples.cli.Failures;
import io.reactivenetio.examples.cli.Json;
import io.reactivenetio.examples.cli.StatusLine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A run of campaigns: each injects faults of one kind, and counts what becomes of every message. */
@Command(name = "netio soak", versionProvider = BuildVersion.class, mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Injects faults while messages flow: processes that die or stand still, bad wires, thousands of"
                + " connections, little memory, peers that lie.",
            "Every message must arrive, or be told as missing. The table says what was injected, expected and seen."},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all holds", "1:something does not", "2:the command line is wrong", "130:interrupted"})
public final class SoakProgram implements Callable<Integer> {
    /** The length of a full run. */
    static final int FULL_MINUTES = 30;

    private static final String VERBOSE = "--verbose";
    private static final double LEAST_MINUTES = 0.1;
    private static final int MOST_MINUTES = 60 * 24 * 30;

    @Option(names = "--minutes", paramLabel = "N", defaultValue = "" + FULL_MINUTES,
            description = "How long the campaigns take together, about (default: ${DEFAULT-VALUE}).")
    private double minutes;

    @Option(names = "--only", paramLabel = "NAME", description = "Run the campaigns with this text in their names, and no others;"
            + " they take their share of the minutes.")
    private @Nullable String only;

    @Option(names = "--seed", paramLabel = "N", description = "What is left to chance is the same with the same seed.")
    private @Nullable Long seed;

    @Option(names = "--plant", paramLabel = "FAULT", description = "Plants a fault in the processes of the campaign traffic,"
            + " to see that it is found, with exit code 1: ${COMPLETION-CANDIDATES}.")
    private @Nullable Plant plant;

    @Option(names = "--list", description = "Say which campaigns there are.")
    private boolean list;

    @Option(names = "--json", description = "Print the table as JSON.")
    private boolean json;

    @Option(names = VERBOSE, description = "Show stack traces and the library's log.")
    private boolean verbose;

    private SoakProgram() {
    }

    /** Runs it, and exits with its code. */
    public static void main(String[] args) {
        // before the first logger is made: slf4j-simple reads it once
        String level = Arrays.asList(args).contains(VERBOSE) ? "info" : "off";
        System.getProperties().putIfAbsent("org.slf4j.simpleLogger.defaultLogLevel", level);
        System.exit(run(args));
    }

    /** Runs it, and returns the exit code. */
    static int run(String... args) {
        SoakProgram program = new SoakProgram();
        return new Failures(() -> program.verbose).run(program, args);
    }

    @Override
    @SuppressWarnings("SystemOut") // the result of a command
    public Integer call() throws Exception {
        String wanted = only;
        List<Campaign> campaigns = Campaigns.all().stream()
                .filter(each -> wanted == null || each.name().contains(wanted)).toList();
        if (campaigns.isEmpty()) {
            throw CliException.usage("--only: there is no campaign with '" + wanted + "' in its name; see --list");
        }
        if (!(minutes >= LEAST_MINUTES && minutes <= MOST_MINUTES)) {
            throw CliException.usage("--minutes: " + minutes + " is not from " + LEAST_MINUTES + " to " + MOST_MINUTES);
        }
        if (list) {
            campaigns.forEach(each -> System.out.printf("%-8s %s%n", each.name(), each.about()));
            return 0;
        }
        List<Finding> findings = run(campaigns);
        boolean holds = findings.stream().allMatch(Finding::holds);
        if (json) {
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("minutes", minutes);
            members.put("holds", holds);
            members.put("findings", findings.stream().map(Finding::json).toList());
            System.out.println(Json.write(members));
        }
        return holds ? 0 : CliException.FAILURE;
    }

    @SuppressWarnings("SystemOut") // the result of a command
    private List<Finding> run(List<Campaign> campaigns) throws InterruptedException {
        List<Finding> findings = new ArrayList<>();
        AtomicReference<String> progress = new AtomicReference<>("");
        AtomicReference<@Nullable Ground> present = new AtomicReference<>();
        Thread hook = new Thread(() -> {
            Ground ground = present.get();
            if (ground != null) {
                ground.close();
            }
        });
        Runtime.getRuntime().addShutdownHook(hook);
        long chance = seed == null ? System.nanoTime() : seed;
        try (StatusLine status = StatusLine.of(() -> {
            Ground ground = present.get();
            return progress.get() + (ground == null ? "" : ground.progress());
        }, !json)) {
            say(status, "seed " + chance + "\n| campaign | injected | expected | seen | |\n|---|---|---|---|---|");
            for (Campaign campaign : campaigns) {
                long start = System.nanoTime();
                progress.set(campaign.name() + ": ");
                try (Ground ground = new Ground(campaign, minutes, chance, finding -> {
                    findings.add(finding);
                    say(status, finding.text());
                }, plant, plant == null ? 1 : plant.oneIn())) {
                    present.set(ground);
                    attempt(campaign, ground);
                } finally {
                    present.set(null);
                }
                progress.set("");
                long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds();
                status.say(campaign.name() + ": " + seconds + " s");
            }
        }
        return findings;
    }

    @SuppressWarnings("SystemOut") // the result of a command
    private void say(StatusLine status, String text) {
        if (!json) {
            status.clear();
            System.out.println(text);
            System.out.flush();
        }
    }

    private void attempt(Campaign campaign, Ground ground) throws InterruptedException {
        try {
            campaign.run(ground);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception | AssertionError e) {
            if (verbose) {
                e.printStackTrace();
            }
            ground.check("the campaign", "it comes to its end", String.valueOf(e), false);
        }
    }
}
