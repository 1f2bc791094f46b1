// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The kernel, and whether it offers io_uring. */
record KernelFacts(String version, String ioUring) {
    private static final int FIRST_MAJOR = 5;

    static KernelFacts collect() {
        String version = System.getProperty("os.version", "");
        return new KernelFacts(version, ioUring(version, read(Path.of("/proc/sys/kernel/io_uring_disabled"))));
    }

    /** Since 5.1 there is io_uring, since 6.6 the sysctl. */
    static String ioUring(String version, String disabled) {
        Matcher numbers = Pattern.compile("^([0-9]{1,6})\\.([0-9]{1,6})").matcher(version);
        boolean old = !numbers.find() || Integer.parseInt(numbers.group(1)) < FIRST_MAJOR
                || Integer.parseInt(numbers.group(1)) == FIRST_MAJOR && Integer.parseInt(numbers.group(2)) < 1;
        return switch (disabled) {
            case "2" -> "disabled (kernel.io_uring_disabled = 2)";
            case "1" -> "for privileged processes only (kernel.io_uring_disabled = 1)";
            case "0" -> "available";
            default -> old ? "none (needs kernel 5.1)" : "available";
        };
    }

    /** A small file's text, or "" if there is no such file. */
    static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return "";
        }
    }

    Map<String, Object> json() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("version", version);
        members.put("ioUring", ioUring);
        return members;
    }
}
