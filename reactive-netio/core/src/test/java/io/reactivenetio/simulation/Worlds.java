// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import java.util.ArrayList;
import java.util.List;

/** Runs worlds, and makes those that fail small. From the command line: {@code FIRST COUNT}. */
public final class Worlds {

    private Worlds() {
    }

    /** What went wrong in a scenario; empty if nothing did. */
    static List<String> run(Scenario scenario) {
        return new World(scenario).run();
    }

    /** A scenario that fails in the same way, with as few steps as can be found by leaving some out. */
    static Scenario shrink(Scenario failing) {
        String kind = kind(run(failing));
        Scenario smallest = failing;
        boolean smaller = true;
        while (smaller) {
            smaller = false;
            for (int i = 0; i < smallest.steps().size(); i++) {
                List<Step> fewer = new ArrayList<>(smallest.steps());
                fewer.remove(i);
                Scenario candidate = smallest.withSteps(fewer);
                if (kind(run(candidate)).equals(kind)) {
                    smallest = candidate;
                    smaller = true;
                    break;
                }
            }
        }
        return smallest;
    }

    /** The first few words of the first violation: what sort of failure it is. */
    static String kind(List<String> violations) {
        if (violations.isEmpty()) {
            return "";
        }
        String first = violations.getFirst();
        int colon = first.indexOf(": ");
        String plain = first.startsWith("thrown") ? first : colon > 0 && !first.substring(0, colon).contains("[")
                ? first.substring(0, colon)
                : first.replaceAll("\\[.*?\\]", "");
        return plain.replaceAll("[0-9]+", "#");
    }

    public static void main(String... arguments) {
        long first = Long.parseLong(arguments[0]);
        long count = Long.parseLong(arguments[1]);
        int most = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 5;
        SimulatedSchedulers.install();
        long began = System.nanoTime();
        long steps = 0;
        int failed = 0;
        for (long seed = first; seed < first + count && failed < most; seed++) {
            World world = new World(Scenarios.of(seed));
            List<String> violations = world.run();
            steps += world.steps();
            if (!violations.isEmpty() && !kind(violations).matches(System.getProperty("known", ""))) {
                failed++;
                Scenario small = Boolean.getBoolean("whole") ? Scenarios.of(seed) : shrink(Scenarios.of(seed));
                System.out.println("FAILED " + small);
                run(small).stream().limit(4).forEach(each -> System.out.println("  ! " + each));
            }
        }
        System.out.printf("%d worlds, %d failed, %d steps, %.1f s%n", count, failed, steps, (System.nanoTime() - began) / 1e9);
    }
}
