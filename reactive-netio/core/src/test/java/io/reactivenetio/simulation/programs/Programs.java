// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation.programs;

import io.reactivenetio.simulation.SimulatedSchedulers;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Runs programs, and makes those that fail small. From the command line: {@code FIRST COUNT [MOST]}. It stops when so many have
 * failed. With {@code -Dkinds=N} it goes on, and shows no more than N failures of each kind. With {@code -Dwhole=true} it shows
 * programs as they were drawn. Kinds that match {@code -Dknown=REGEX} do not
 * count.
 */
public final class Programs {

    /** Kinds of failures that are known and not mended yet, as a regular expression; empty when there are none. */
    static final String KNOWN = "the server stops as late as it may.*";

    private Programs() {
    }

    static List<String> run(long seed, Node program) {
        return new ProgramWorld(seed, program).run();
    }

    /** A program that fails in the same way, and of which nothing can be left out. */
    static Node shrink(long seed, Node failing) {
        String kind = kind(run(seed, failing));
        Node smallest = failing;
        boolean smaller = true;
        while (smaller) {
            smaller = false;
            for (Node candidate : smallest.smaller()) {
                if (kind(run(seed, candidate)).equals(kind)) {
                    smallest = candidate;
                    smaller = true;
                    break;
                }
            }
        }
        return smallest;
    }

    /** The first words of the first violation: what sort of failure it is. */
    static String kind(List<String> violations) {
        String first = violations.isEmpty() ? "" : violations.getFirst();
        int colon = first.indexOf(": ");
        String kind = first.startsWith("thrown") ? first : colon > 0 ? first.substring(0, colon) : first;
        return kind.replaceAll("[0-9]+", "#");
    }

    /** The program, in words, and what it did wrong. */
    static String report(long seed, Node program) {
        StringBuilder report = new StringBuilder("FAILED seed " + seed + "\n  " + Grammar.setup(seed) + "\n");
        program.toString().lines().forEach(line -> report.append("    ").append(line).append('\n'));
        run(seed, program).stream().limit(4).forEach(each -> report.append("  ! ").append(each).append('\n'));
        return report.toString();
    }

    public static void main(String... arguments) {
        long first = Long.parseLong(arguments[0]);
        long count = Long.parseLong(arguments[1]);
        int most = arguments.length > 2 ? Integer.parseInt(arguments[2]) : Integer.MAX_VALUE;
        String known = System.getProperty("known", KNOWN);
        int ofAKind = Integer.getInteger("kinds", Integer.MAX_VALUE);
        int failed = 0;
        SimulatedSchedulers.install();
        long began = System.nanoTime();
        Map<String, Integer> kinds = new TreeMap<>();
        long slowest = first;
        long longest = 0;
        for (long seed = first; seed < first + count && failed < most; seed++) {
            Node program = Grammar.program(seed);
            long start = System.nanoTime();
            String kind = kind(run(seed, program));
            long took = System.nanoTime() - start;
            slowest = took > longest ? seed : slowest;
            longest = Math.max(longest, took);
            boolean fails = !kind.isEmpty() && !kind.matches(known);
            failed += fails ? 1 : 0;
            if (fails && kinds.merge(kind, 1, Integer::sum) <= ofAKind) {
                System.out.println(report(seed, Boolean.getBoolean("whole") ? program : shrink(seed, program)));
            }
        }
        System.out.printf("%d programs, %.1f s, the slowest is %d with %.1f s, failed: %s%n", count,
                (System.nanoTime() - began) / 1e9, slowest, longest / 1e9, kinds);
    }
}
