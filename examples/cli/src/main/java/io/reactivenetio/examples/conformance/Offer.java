// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What an end has said that it offers. */
record Offer(String name, Set<String> words, int largest) {
    private static final int LARGEST = 64 << 20;

    static Offer of(Line hello) {
        Set<String> words = new HashSet<>();
        for (String list : List.of("framings", "roles", "extras", "transports")) {
            words.addAll(Arrays.asList(hello.get(list, "").split(",")));
        }
        return new Offer(hello.get("name", "?"), words, hello.number("message", LARGEST));
    }

    /** What of {@code needs} is not offered. */
    List<String> missing(List<String> needs) {
        return needs.stream().filter(need -> !words.contains(need)).toList();
    }
}
