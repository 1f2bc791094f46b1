// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import java.util.ArrayList;
import java.util.List;

/**
 * What the detector tells about itself several times a second, as a line of text.
 *
 * @param millis how long it has been running
 * @param due events that should have been
 * @param issued events that were
 * @param lost events lost to BUSY
 * @param stalls per link, how often it had fragments that nobody had asked for
 */
record DetectorStatus(long millis, long due, long issued, long lost, List<Long> stalls) {
    private static final String KEYWORD = "status";

    static DetectorStatus none() {
        return new DetectorStatus(0, 0, 0, 0, List.of());
    }

    String line() {
        StringBuilder line = new StringBuilder(KEYWORD + " " + millis + " " + due + " " + issued + " " + lost);
        stalls.forEach(n -> line.append(' ').append(n));
        return line.toString();
    }

    static boolean is(String line) {
        return line.startsWith(KEYWORD + " ");
    }

    static DetectorStatus parse(String line) {
        List<Long> numbers = new ArrayList<>();
        for (String word : line.substring(KEYWORD.length() + 1).split(" ", -1)) {
            numbers.add(Long.valueOf(word));
        }
        return new DetectorStatus(numbers.get(0), numbers.get(1), numbers.get(2), numbers.get(3),
                List.copyOf(numbers.subList(4, numbers.size())));
    }

    /** How much of the trigger time since {@code before} was lost, 0 to 1. */
    double busySince(DetectorStatus before) {
        return due == before.due ? 0 : (double) (lost - before.lost) / (due - before.due);
    }

    /** Events per second since {@code before}. */
    double rateSince(DetectorStatus before) {
        return millis == before.millis ? 0 : (issued - before.issued) * 1000.0 / (millis - before.millis);
    }

    long stalls(int link) {
        return link < stalls.size() ? stalls.get(link) : 0;
    }
}
