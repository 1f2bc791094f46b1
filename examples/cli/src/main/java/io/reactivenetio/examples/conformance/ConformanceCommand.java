// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import io.reactivenetio.examples.cli.CliException;
import io.reactivenetio.examples.cli.Json;
import io.reactivenetio.examples.cli.StatusLine;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tries whether a program keeps the rules of docs/wire-format.md. */
@Command(name = "conformance", description = {"Try whether a program keeps the rules of docs/wire-format.md.",
    "It is started, and driven by lines on its standard input and output: docs/conformance.md says by which."})
public final class ConformanceCommand implements Callable<Integer> {
    private static final int NAME_WIDTH = 78;

    @Parameters(arity = "1..*", paramLabel = "COMMAND", description = "The program and its arguments, behind --.")
    private List<String> command = new ArrayList<>();

    @Option(names = "--only", paramLabel = "TEXT", description = "Run only the cases whose names contain this text.")
    private @Nullable String only;

    @Option(names = "--json", description = "Print the outcomes as JSON.")
    private boolean json;

    /** Called by picocli. */
    public ConformanceCommand() {
    }

    @Override
    @SuppressWarnings("SystemOut") // the result of a command
    public Integer call() throws Exception {
        String wanted = only;
        List<Case> cases = Kit.cases(name -> wanted == null || name.contains(wanted));
        if (cases.isEmpty()) {
            throw CliException.usage("--only: there is no case with '" + wanted + "' in its name");
        }
        List<Outcome> outcomes = new ArrayList<>();
        AtomicReference<String> progress = new AtomicReference<>("");
        try (Kit kit = new Kit(() -> ProcessEnd.start(command)); StatusLine status = StatusLine.of(progress::get, !json)) {
            Offer offer = begin(kit);
            kit.run(cases, next -> progress.set(outcomes.size() + " of " + cases.size() + ": " + next.name()), outcome -> {
                outcomes.add(outcome);
                if (!json && outcome.result() == Outcome.Result.FAILED) {
                    status.say("FAILED " + outcome.name());
                }
            });
            String wrong = kit.quit();
            if (!wrong.isEmpty()) {
                outcomes.add(new Outcome("quit", Outcome.Result.FAILED, 0, wrong));
            }
            progress.set("");
            System.out.println(json ? json(offer, outcomes) : text(offer, outcomes));
        }
        return count(outcomes, Outcome.Result.FAILED) == 0 ? 0 : CliException.FAILURE;
    }

    private static Offer begin(Kit kit) {
        try {
            return kit.begin();
        } catch (CaseFailedException e) {
            throw CliException.failure(String.valueOf(e.getMessage()), e);
        }
    }

    private static long count(List<Outcome> outcomes, Outcome.Result result) {
        return outcomes.stream().filter(outcome -> outcome.result() == result).count();
    }

    private static String json(Offer offer, List<Outcome> outcomes) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("end", offer.name());
        for (Outcome.Result result : Outcome.Result.values()) {
            members.put(result.word().toLowerCase(Locale.ROOT).replace(" o", "O"), count(outcomes, result));
        }
        members.put("cases", outcomes.stream().map(Outcome::json).toList());
        return Json.write(members);
    }

    private static String text(Offer offer, List<Outcome> outcomes) {
        StringBuilder table = new StringBuilder(row("case", "result", "ms"));
        for (Outcome outcome : outcomes) {
            table.append(row(outcome.name(), outcome.result().word(), Long.toString(outcome.millis())));
            if (!outcome.reason().isEmpty()) {
                table.append("    ").append(outcome.reason()).append('\n');
            }
        }
        return table + offer.name() + ": " + count(outcomes, Outcome.Result.PASSED) + " passed, "
                + count(outcomes, Outcome.Result.FAILED) + " failed, " + count(outcomes, Outcome.Result.NOT_OFFERED)
                + " not offered";
    }

    private static String row(String name, String result, String millis) {
        return String.format(Locale.ROOT, "%-" + NAME_WIDTH + "s %-11s %6s%n", name, result, millis);
    }
}
