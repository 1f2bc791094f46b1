// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import java.io.File;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.RepetitionInfo;

/** What {@code ./netio test --rdma} sets for a machine with an RDMA device, by the system properties {@code netio.test.…}. */
public final class TestSettings {
    /** What libfabric is to use, and where to listen. */
    public static final String PROVIDER = System.getProperty("netio.test.provider", "tcp");
    public static final String ADDRESS = System.getProperty("netio.test.address", "127.0.0.1");
    public static final String ADDRESS6 = System.getProperty("netio.test.address6", "::1");
    private static final int SCALE = Integer.getInteger("netio.test.scale", 1);
    private static final int SLOWNESS = Integer.getInteger("netio.test.slowness", 1);

    /** More options for each JVM that a test starts. */
    public static final List<String> JAVA_OPTIONS = System.getProperty("netio.test.java", "").isBlank() ? List.of()
            : List.of(System.getProperty("netio.test.java").split(" "));

    /** What each JVM that a test starts is made of: all this one has, unless {@code netio.test.app} names jars. */
    public static final String CLASS_PATH = System.getProperty("netio.test.app",
            System.getProperty("java.class.path", "") + File.pathSeparator + System.getProperty("jdk.module.path", ""));

    private TestSettings() {
    }

    /** A number of bytes, divided by {@code netio.test.scale}, at most 20, where the machine is that much slower. */
    public static int scaled(int number) {
        return Math.max(1, number / Math.clamp(SCALE, 1, 20));
    }

    /** A limit, {@code netio.test.slowness} times as long. */
    public static Duration patient(Duration limit) {
        return limit.multipliedBy(SLOWNESS);
    }

    public static boolean isSlow() {
        return SLOWNESS > 1;
    }

    /** Skips all but the first repetition where the machine is slow. */
    public static void requireTime(RepetitionInfo repetition) {
        Assumptions.assumeTrue(SLOWNESS == 1 || repetition.getCurrentRepetition() == 1, "no time to repeat it");
    }

    /** Skips a variant where the machine is slow: another one shows the same over this provider. */
    public static void requireTime() {
        requireTimeUnless(false);
    }

    /** Skips a variant where the machine is slow, unless it shows what no other one does over this provider. */
    public static void requireTimeUnless(boolean worthIt) {
        Assumptions.assumeTrue(SLOWNESS == 1 || worthIt, "no time for a variant where Java is emulated; a real device runs it");
    }

    public static boolean isVerbs() {
        return PROVIDER.equals("verbs");
    }

    /** A command's arguments, with the provider if they choose no other. */
    public static List<String> withProvider(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        if (!all.contains("--provider") && !all.contains("--backend")) {
            all.addAll(List.of("--provider", PROVIDER));
        }
        return all;
    }
}
