// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.examples.demo.event.FaultCount;

/**
 * What a link of the detector has done in all: its last word, as a line of text.
 *
 * @param link its number
 * @param sent fragments sent
 * @param bytes bytes in them
 * @param truncated of them, truncated on purpose
 * @param corrupted of them, corrupted on purpose
 * @param digest which were, see {@link FaultCount#digest}
 * @param stalls how often it had fragments that nobody had asked for
 */
record LinkTally(int link, long sent, long bytes, long truncated, long corrupted, long digest, long stalls) {
    private static final String KEYWORD = "tally";

    String line() {
        return String.join(" ", KEYWORD, Integer.toString(link), Long.toString(sent), Long.toString(bytes),
                Long.toString(truncated), Long.toString(corrupted), Long.toString(digest), Long.toString(stalls));
    }

    static boolean is(String line) {
        return line.startsWith(KEYWORD + " ");
    }

    static LinkTally parse(String line) {
        String[] words = line.split(" ", -1);
        return new LinkTally(Integer.parseInt(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]),
                Long.parseLong(words[4]), Long.parseLong(words[5]), Long.parseLong(words[6]), Long.parseLong(words[7]));
    }
}
