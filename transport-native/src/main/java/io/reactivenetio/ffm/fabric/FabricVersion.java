// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A version of libfabric, and what is known of it.
 *
 * @param patch the third number; -1 if the library does not tell
 * @param text as the library says it, such as {@code 1.18.0}, or {@code 2.1.0amzn3.0} of a vendor
 */
record FabricVersion(int major, int minor, int patch, String text) {
    /** The versions that {@code ./netio test --libfabric} passes with, the oldest first, as in the table of docs/networks.md. */
    static final List<String> TESTED = List.of("1.17.0", "2.1.0", "2.2.0", "2.6.0");

    private static final FabricVersion OLDEST = new FabricVersion(1, 17, -1, "1.17");
    private static final Map<String, String> BROKEN = Map.of(
            "1.18.0", "its tcp provider never sleeps again after the first message (ofiwg/libfabric#8947)");
    private static final Pattern NUMBERS = Pattern.compile("(\\d{1,5})\\.(\\d{1,5})(?:\\.(\\d{1,5}))?(?!\\d).*");

    /** From {@code number}, as fi_version(3) gives it, which lacks the patch, and {@code text} of fi_tostr(3), which has it. */
    static FabricVersion of(int number, String text) {
        int major = number >>> 16;
        int minor = number & 0xffff;
        Matcher numbers = NUMBERS.matcher(text);
        if (!numbers.matches() || Integer.parseInt(numbers.group(1)) != major || Integer.parseInt(numbers.group(2)) != minor) {
            return new FabricVersion(major, minor, -1, major + "." + minor);
        }
        return new FabricVersion(major, minor, numbers.group(3) == null ? -1 : Integer.parseInt(numbers.group(3)), text);
    }

    /** Why this version is refused, or null if it is not. */
    @Nullable String problem() {
        if (major < OLDEST.major || major == OLDEST.major && minor < OLDEST.minor) {
            return "is too old";
        }
        String broken = BROKEN.get(numbers());
        return broken == null ? null : "is broken: " + broken;
    }

    /** Returns the versions that are not refused, in words. */
    static String thoseThatWork() {
        return OLDEST.text + " and later work, except " + String.join(", ", BROKEN.keySet().stream().sorted().toList())
                + " (tested: " + String.join(", ", TESTED) + ")";
    }

    /** A vendor's own version is not one of those. */
    boolean isTested() {
        return TESTED.contains(text);
    }

    private String numbers() {
        return major + "." + minor + "." + patch;
    }

    @Override
    public String toString() {
        return text;
    }
}
