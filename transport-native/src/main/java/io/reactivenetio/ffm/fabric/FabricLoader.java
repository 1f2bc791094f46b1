// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import io.reactivenetio.ffm.LibC;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds libfabric and opens it, with the environment that makes it safe inside a JVM. */
@SuppressWarnings("restricted")
final class FabricLoader {
    private static final List<String> NAMES = List.of("libfabric.so.1", "libfabric.so");
    private static final List<String> DIRECTORIES = List.of("/usr/local/lib", "/usr/local/lib64", "/usr/lib/x86_64-linux-gnu",
            "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib",
            "/opt/libfabric/lib", "/opt/amazon/efa/lib64", "/opt/amazon/efa/lib");
    private static final String PASSED_ON = "netio.fi.";
    private static final Pattern VARIABLE = Pattern.compile("FI_[A-Z0-9_]+");

    /** An opened library and where it came from. */
    record Found(SymbolLookup lookup, String where) {
    }

    private FabricLoader() {
    }

    /**
     * Sets what has to be set before the library is opened, unless the user has set it. libinfinipath, which Debian's
     * libfabric pulls in, otherwise replaces the JVM's handlers of SIGSEGV and other signals: the first
     * NullPointerException in compiled code would kill the process. And libfabric's memory monitor patches libc at run
     * time; the buffers here are registered explicitly and need none.
     *
     * <p>System properties {@code netio.fi.FI_…} are variables for libfabric: they win over these defaults and over the
     * environment the JVM was started with.
     */
    static void prepareEnvironment() {
        passOn(System.getProperties());
        LibC.setenv("IPATH_NO_BACKTRACE", "1", false);
        LibC.setenv("HFI_NO_BACKTRACE", "1", false);
        LibC.setenv("FI_MR_CACHE_MONITOR", "disabled", false);
    }

    private static void passOn(Properties properties) {
        List<String> keys = properties.stringPropertyNames().stream().filter(key -> key.startsWith(PASSED_ON)).toList();
        for (String key : keys) {
            if (!VARIABLE.matcher(key.substring(PASSED_ON.length())).matches()) {
                throw new FabricUnavailableException("system property " + key + " is not a variable of libfabric: write "
                        + PASSED_ON + "FI_NAME, with a name that fi_info -e lists");
            }
        }
        for (String key : keys) {
            LibC.setenv(key.substring(PASSED_ON.length()), properties.getProperty(key), true);
        }
    }

    static Found find() {
        String property = System.getProperty("netio.libfabric");
        if (property != null && !property.isEmpty()) {
            return exactly(property, "system property netio.libfabric");
        }
        String variable = System.getenv("NETIO_LIBFABRIC");
        if (variable != null && !variable.isEmpty()) {
            return exactly(variable, "NETIO_LIBFABRIC");
        }
        for (String name : NAMES) {
            Found found = open(name);
            if (found != null) {
                return found;
            }
        }
        for (String directory : DIRECTORIES) {
            for (String name : NAMES) {
                Path path = Path.of(directory, name);
                Found found = Files.exists(path) ? open(path.toString()) : null;
                if (found != null) {
                    return found;
                }
            }
        }
        throw missing(String.join(", ", NAMES) + " in the library path and " + String.join(", ", DIRECTORIES), null);
    }

    private static Found exactly(String path, String source) {
        try {
            return new Found(SymbolLookup.libraryLookup(Path.of(path).toAbsolutePath(), Arena.global()), path);
        } catch (IllegalArgumentException e) {
            String why = !Files.exists(Path.of(path)) ? ", which does not exist"
                    : Files.isDirectory(Path.of(path)) ? ", which is a folder" : ", which cannot be loaded";
            throw missing(path + " from " + source + why, e);
        }
    }

    private static @Nullable Found open(String name) {
        try {
            return new Found(SymbolLookup.libraryLookup(name, Arena.global()), name);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static FabricUnavailableException missing(String tried, @Nullable Throwable cause) {
        return new FabricUnavailableException("libfabric not found (tried " + tried
                + "): apt install libfabric1, or set NETIO_LIBFABRIC to the path of libfabric.so.1", cause);
    }
}
