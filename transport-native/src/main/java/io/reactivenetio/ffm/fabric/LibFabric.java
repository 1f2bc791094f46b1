// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.ffm.NativeAccess;
import io.reactivenetio.ffm.RawMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * libfabric, loaded once per JVM and never unloaded: its version, and the way to its objects, which begins with
 * {@link #getInfo} and {@link #openFabric}. Thread-safe.
 */
@SuppressWarnings("restricted")
public final class LibFabric {
    private static final int NEWEST_REQUESTED = encode(1, 17);
    private static final Map<String, String> VARIABLES = new ConcurrentHashMap<>();
    private static volatile @Nullable LibFabric instance;

    private final FiFunctions functions;
    private final int versionNumber;
    private final FabricVersion version;
    private final String path;

    private LibFabric(SymbolLookup lookup, String where) {
        ValueLayout.OfInt i = ValueLayout.JAVA_INT;
        ValueLayout.OfLong l = ValueLayout.JAVA_LONG;
        this.versionNumber = readVersion(FiFunctions.bind(lookup, where, "fi_version", i));
        this.version = FabricVersion.of(versionNumber,
                readVersionText(FiFunctions.bind(lookup, where, "fi_tostr", l, l, i)));
        this.path = realPath(LibC.fileOf(lookup.findOrThrow("fi_version")), where);
        refuseWhatDoesNotWork(); // before anything else of such a library is used
        this.functions = new FiFunctions(lookup, where,
                Integer.compareUnsigned(versionNumber, NEWEST_REQUESTED) < 0 ? versionNumber : NEWEST_REQUESTED);
    }

    /**
     * The library; loads it on the first call, which may take a fraction of a second: it initialises all providers.
     *
     * <p>System properties {@code netio.fi.FI_…} are given to it as variables of its environment, such as
     * {@code -Dnetio.fi.FI_TCP_IFACE=eth0}, and win over those of the JVM's own environment.
     *
     * @throws FabricUnavailableException if it is absent, of a version that does not work or unlike what this binding
     *     expects, or if such a property has another name; a later call tries again
     */
    public static LibFabric load() {
        LibFabric loaded = instance;
        return loaded != null ? loaded : loadOnce();
    }

    private static synchronized LibFabric loadOnce() {
        LibFabric loaded = instance;
        if (loaded != null) {
            return loaded;
        }
        NativeAccess.require();
        FabricLoader.prepareEnvironment();
        FabricLoader.Found found = FabricLoader.find();
        LibFabric library = new LibFabric(found.lookup(), found.where());
        new FabricSelfCheck(library.functions, "libfabric " + library.versionString() + " (" + found.where() + ")").run();
        instance = library;
        return library;
    }

    /**
     * Sets a variable such as FI_TCP_IFACE for libfabric, which reads it when it is loaded. Java's own view of the
     * environment does not change. A system property {@code netio.fi.FI_TCP_IFACE} wins over it.
     *
     * @throws IllegalStateException if libfabric is loaded and was not given the same value before
     */
    public static synchronized void setVariable(String name, String value) {
        if (instance != null) {
            if (value.equals(VARIABLES.get(name))) {
                return;
            }
            throw new IllegalStateException("libfabric is loaded already: set " + name + " before its first use");
        }
        int code = LibC.setenv(name, value, true);
        if (code < 0) {
            throw new IllegalArgumentException("setenv " + name + ": " + LibC.strerror(code));
        }
        VARIABLES.put(name, value);
    }

    private static int encode(int major, int minor) {
        return major << 16 | minor;
    }

    private static int readVersion(MethodHandle fiVersion) {
        try {
            return (int) fiVersion.invokeExact();
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** fi_tostr(3) has the patch as well, in memory of its own; the value is not looked at but must not be NULL. */
    private static String readVersionText(MethodHandle toString) {
        try (Arena arena = Arena.ofConfined()) {
            long value = arena.allocate(ValueLayout.JAVA_LONG).address();
            return RawMemory.text((long) toString.invokeExact(value, Fi.FI_TYPE_VERSION));
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** Without links, or {@code where} if {@code file} is not to be found from here. */
    private static String realPath(String file, String where) {
        try {
            return Path.of(file).toRealPath().toString();
        } catch (IOException | InvalidPathException e) {
            return where;
        }
    }

    private void refuseWhatDoesNotWork() {
        String problem = version.problem();
        if (problem != null && !isAnyVersionAllowed()) {
            throw new FabricUnavailableException("libfabric " + version + " (" + path + ") " + problem + ". "
                    + FabricVersion.thoseThatWork() + ": install one of those, or set NETIO_LIBFABRIC to the path of its "
                    + "libfabric.so.1. -Dnetio.libfabric.anyVersion=true, or NETIO_LIBFABRIC_ANY_VERSION=1 in the environment, "
                    + "uses this one all the same");
        }
    }

    private static boolean isAnyVersionAllowed() {
        return Boolean.getBoolean("netio.libfabric.anyVersion") || "1".equals(System.getenv("NETIO_LIBFABRIC_ANY_VERSION"));
    }

    /** fi_version(3): major in the upper 16 bits, minor in the lower. */
    public int version() {
        return versionNumber;
    }

    /** Such as "1.17.0". */
    public String versionString() {
        return version.text();
    }

    /** The file that was loaded. */
    public String path() {
        return path;
    }

    /** Whether this version is one of {@link #testedVersions}. */
    public boolean isTested() {
        return version.isTested();
    }

    /** Returns the versions that this library is tested with. */
    public static List<String> testedVersions() {
        return FabricVersion.TESTED;
    }

    /** The version of the interface that is asked for: the library's own, at most 1.17. */
    public int requestVersion() {
        return functions.requestVersion();
    }

    /** The text of an error, given as a positive or negated number. */
    public String strerror(int code) {
        return functions.strerror(code);
    }

    /** New empty hints, owned by the caller. */
    public FiInfo hints() {
        return FiInfo.hints(functions);
    }

    /**
     * fi_getinfo(3). Blocks: it may resolve names and open devices, so never on a loop.
     *
     * @return the head of the list of answers, owned by the caller; never empty
     * @throws FabricException with FI_ENODATA if nothing matches
     */
    public FiInfo getInfo(@Nullable String node, @Nullable String service, long flags, FiInfo hints) {
        return FiInfo.answers(functions, node, service, flags, hints);
    }

    /** Opens the fabric that {@code info} names; fi_fabric(3). */
    public FiFabric openFabric(FiInfo info) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
            functions.check("fi_fabric " + info.fabricName(), functions.fabric(info.fabric(), out.address()));
            return new FiFabric(functions, out.get(ValueLayout.JAVA_LONG, 0));
        }
    }
}
