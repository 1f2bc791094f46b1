// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A limit of this process, as /proc says it: numbers, or "unlimited". */
record Limit(String soft, String hard, String unit) {
    static final String LOCKED_MEMORY = "Max locked memory";
    static final String OPEN_FILES = "Max open files";

    private static final String UNKNOWN = "unknown";

    static Limit of(String name) {
        Matcher line = Pattern.compile("(?m)^" + name + " +(\\S+) +(\\S+) +(\\S+)")
                .matcher(KernelFacts.read(Path.of("/proc/self/limits")));
        return line.find() ? new Limit(line.group(1), line.group(2), line.group(3)) : new Limit(UNKNOWN, UNKNOWN, "");
    }

    String text() {
        return soft + " " + unit + (soft.equals(hard) ? "" : " (at most " + hard + ")");
    }

    Map<String, Object> json() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("soft", number(soft));
        members.put("hard", number(hard));
        return members;
    }

    private static Object number(String value) {
        return value.matches("[0-9]{1,18}") ? Long.valueOf(value) : value;
    }
}
