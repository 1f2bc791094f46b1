// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs the C compiler, and what it makes. */
public final class CPrograms {
    private static final String HOW = "needs a C compiler and libfabric's headers: apt install gcc libfabric-dev";

    private CPrograms() {
    }

    /** What the command says; fails if the command does. */
    public static String run(String... command) throws InterruptedException {
        List<String> words = List.of(command);
        try {
            Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as("%s %s%n%s", words, HOW, output).isZero();
            return output;
        } catch (IOException e) {
            throw new AssertionError(words + " " + HOW, e);
        }
    }
}
