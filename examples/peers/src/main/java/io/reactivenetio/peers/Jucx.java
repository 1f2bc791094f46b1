// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.NativeLibs;

/** UCX itself, loaded once: the libraries of its Debian package and JUCX's own, which comes with its jar. */
final class Jucx {
    static final String TITLE = "JUCX";
    static final String SETTINGS = "UCX's tag API over what UCX itself chooses between processes of one machine (shared memory;"
            + " UCX_TLS=tcp makes it TCP), a worker each that sleeps in waitForEvents() when progress() has nothing";
    private static final String LEFT_OUT = TITLE + " left out: ";
    private static final String PACKAGE = "apt install libucx0";
    private static final Pattern NOT_FOUND = Pattern.compile("(lib[\\w.+-]+): cannot open shared object file");
    /**
     * Read when the libraries are loaded; what the user has set stays. The processes' answers are on stdout, the JVM needs its
     * signals for itself. The warning that this JUCX is newer than Debian 12's UCX is left out: what it needs is there.
     */
    private static final Map<String, String> SETUP =
            Map.of("UCX_LOG_FILE", "stderr", "UCX_LOG_LEVEL", "error", "UCX_HANDLE_ERRORS", "none");

    private static boolean loaded;
    private static @Nullable String missing;

    private Jucx() {
    }

    /** What it lacks here and how to get it, in one sentence; null if it can run. */
    static synchronized @Nullable String missing() {
        if (!loaded) {
            missing = load();
            loaded = true;
        }
        return missing;
    }

    private static @Nullable String load() {
        String library = System.mapLibraryName("jucx_" + System.getProperty("os.arch"));
        if (NativeLibs.class.getResource("/" + library) == null) {
            return LEFT_OUT + "its jar has no " + library + ": it runs on Linux on x86-64 only";
        }
        try {
            SETUP.forEach(Jucx::setVariable);
            NativeLibs.load();
            return null;
        } catch (LinkageError e) {
            return reason(String.valueOf(e.getMessage()));
        }
    }

    /** The sentence for what the loader said. */
    static String reason(String problem) {
        Matcher library = NOT_FOUND.matcher(problem);
        if (!library.find()) {
            return LEFT_OUT + problem;
        }
        return LEFT_OUT + library.group(1) + " not found" + (library.group(1).startsWith("libuc") ? ": " + PACKAGE : "");
    }

    @SuppressWarnings("restricted") // libraries read the variables of the process, which Java's own are not
    private static void setVariable(String name, String value) {
        Linker linker = Linker.nativeLinker();
        MethodHandle set = linker.downcallHandle(linker.defaultLookup().findOrThrow("setenv"), FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
        try (Arena arena = Arena.ofConfined()) {
            int failed = (int) set.invokeExact(arena.allocateFrom(name), arena.allocateFrom(value), 0);
            if (failed != 0) {
                throw new IllegalStateException("setenv " + name);
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }
}
