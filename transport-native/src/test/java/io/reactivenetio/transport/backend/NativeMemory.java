// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import io.reactivenetio.ffm.PageMemory;
import io.reactivenetio.memory.Block;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What this process holds outside of the heap, as the JVM and the kernel count it. */
final class NativeMemory {
    /** What arenas allocate is in this category. */
    private static final Pattern OTHER = Pattern.compile("Other \\(reserved=(\\d+)");

    private static final int LOOKS = 100;
    /** Looks in a row that see the same: the thread that frees may have to wait for a CPU. */
    private static final int STABLE = 4;
    private static final long PAUSE_NANOS = 20_000_000;

    private static final String COMMANDS = "com.sun.management:type=DiagnosticCommand";

    private NativeMemory() {
    }

    /**
     * Bytes of all slabs, and of all arenas that are reachable. Closes blocks that rest: those of an earlier test would go in the
     * middle of this one. Arenas that the garbage collector closes are nobody's leak. Another thread frees them after it, so this
     * waits until nothing changes any more, for two seconds at most.
     */
    static long arenas() {
        Block.closeResting();
        System.gc();
        long now = read();
        int same = 0;
        for (int i = 0; i < LOOKS && same < STABLE; i++) {
            long before = now;
            LockSupport.parkNanos(PAUSE_NANOS);
            now = read();
            same = now == before ? same + 1 : 0;
        }
        return now;
    }

    private static long read() {
        String answer = summary();
        Matcher other = OTHER.matcher(answer);
        if (!other.find()) {
            throw new AssertionError("is -XX:NativeMemoryTracking=summary set? The JVM said: " + answer);
        }
        return Long.parseLong(other.group(1)) + PageMemory.mapped();
    }

    /** What jcmd would print, but that is a JVM to start. By reflection: the module under test does not read java.management. */
    private static String summary() {
        try {
            Object server = Objects.requireNonNull(
                    Class.forName("java.lang.management.ManagementFactory").getMethod("getPlatformMBeanServer").invoke(null));
            Class<?> name = Class.forName("javax.management.ObjectName");
            Method invoke = Class.forName("javax.management.MBeanServer")
                    .getMethod("invoke", name, String.class, Object[].class, String[].class);
            Object[] arguments = {new String[] {"summary", "scale=B"}};
            return String.valueOf(invoke.invoke(server, name.getConstructor(String.class).newInstance(COMMANDS), "vmNativeMemory",
                    arguments, new String[] {String[].class.getName()}));
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Open file descriptors. */
    static int descriptors() {
        return Objects.requireNonNull(new File("/proc/self/fd").list()).length;
    }

    /** Open sockets. The JVM opens other files at any moment, such as jars. */
    static long sockets() {
        return Stream.of(Objects.requireNonNull(new File("/proc/self/fd").list())).filter(NativeMemory::isSocket).count();
    }

    private static boolean isSocket(String descriptor) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd", descriptor)).toString().startsWith("socket:");
        } catch (IOException e) { // closed meanwhile
            return false;
        }
    }
}
