// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What this process holds outside of the heap, as the JVM and the kernel count it. */
final class NativeMemory {
    /** What arenas allocate is in this category. */
    private static final Pattern OTHER = Pattern.compile("Other \\(reserved=(\\d+)");

    private NativeMemory() {
    }

    /** Bytes of all arenas that are reachable. Takes a second. */
    static long arenas() {
        System.gc(); // arenas that are closed by the garbage collector are nobody's leak
        try {
            Process jcmd = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                    Long.toString(ProcessHandle.current().pid()), "VM.native_memory", "summary", "scale=B")
                    .redirectErrorStream(true).start();
            String answer = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!jcmd.waitFor(Party.BOUND.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("jcmd does not end");
            }
            Matcher other = OTHER.matcher(answer);
            if (!other.find()) {
                throw new AssertionError("is -XX:NativeMemoryTracking=summary set? jcmd said: " + answer);
            }
            return Long.parseLong(other.group(1));
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Open file descriptors. */
    static int descriptors() {
        return Objects.requireNonNull(new File("/proc/self/fd").list()).length;
    }
}
