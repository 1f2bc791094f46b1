// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
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
 * libfabric, loaded once per JVM and never unloaded. Holds the few functions that the library exports; all others are
 * reached through the objects that {@link #openFabric} leads to. Thread-safe.
 */
@SuppressWarnings("restricted")
public final class LibFabric {
    private static final int NEWEST_REQUESTED = encode(1, 17);
    private static final Map<String, String> VARIABLES = new ConcurrentHashMap<>();
    private static volatile @Nullable LibFabric instance;

    private final MethodHandle strerror;
    private final MethodHandle getInfo;
    private final MethodHandle freeInfo;
    private final MethodHandle duplicateInfo;
    private final MethodHandle fabric;
    private final int versionNumber;
    private final FabricVersion version;
    private final String path;

    private LibFabric(SymbolLookup lookup, String where) {
        ValueLayout.OfInt i = ValueLayout.JAVA_INT;
        ValueLayout.OfLong l = ValueLayout.JAVA_LONG;
        this.versionNumber = readVersion(bind(lookup, where, "fi_version", i));
        this.version = FabricVersion.of(versionNumber, readVersionText(bind(lookup, where, "fi_tostr", l, l, i)));
        this.path = realPath(LibC.fileOf(lookup.findOrThrow("fi_version")), where);
        refuseWhatDoesNotWork(); // before anything else of such a library is used
        this.strerror = bind(lookup, where, "fi_strerror", l, i);
        this.getInfo = bind(lookup, where, "fi_getinfo", i, i, l, l, l, l, l);
        this.freeInfo = bind(lookup, where, "fi_freeinfo", null, l);
        this.duplicateInfo = bind(lookup, where, "fi_dupinfo", l, l);
        this.fabric = bind(lookup, where, "fi_fabric", i, l, l, l);
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
        new FabricSelfCheck(library, found.where()).run();
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

    private static MethodHandle bind(SymbolLookup lookup, String where, String name, @Nullable MemoryLayout result,
            MemoryLayout... arguments) {
        MemorySegment function = lookup.find(name).orElseThrow(() -> new FabricUnavailableException(
                where + " is not a usable libfabric: it has no " + name));
        FunctionDescriptor type = result == null ? FunctionDescriptor.ofVoid(arguments)
                : FunctionDescriptor.of(result, arguments);
        return Linker.nativeLinker().downcallHandle(function, type);
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

    /** Those that this library is tested with. */
    public static List<String> testedVersions() {
        return FabricVersion.TESTED;
    }

    /** The version of the interface that is asked for: the library's own, at most 1.17. */
    public int requestVersion() {
        return Integer.compareUnsigned(versionNumber, NEWEST_REQUESTED) < 0 ? versionNumber : NEWEST_REQUESTED;
    }

    /** The text of an error, given as a positive or negated number. */
    public String strerror(int code) {
        try {
            return RawMemory.text((long) strerror.invokeExact(Math.abs(code)));
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** New empty hints, owned by the caller. */
    public FiInfo hints() {
        return new FiInfo(this, duplicateInfo(0));
    }

    /**
     * fi_getinfo(3). Blocks: it may resolve names and open devices, so never on a loop.
     *
     * @return the head of the list of answers, owned by the caller; never empty
     * @throws FabricException with FI_ENODATA if nothing matches
     */
    public FiInfo getInfo(@Nullable String node, @Nullable String service, long flags, FiInfo hints) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment n = node == null ? MemorySegment.NULL : arena.allocateFrom(node);
            MemorySegment s = service == null ? MemorySegment.NULL : arena.allocateFrom(service);
            MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
            int code = getInfo(n.address(), s.address(), flags, hints.address(), out.address());
            check("fi_getinfo for " + (node == null ? "any address" : node) + (service == null ? "" : " port " + service), code);
            long list = out.get(ValueLayout.JAVA_LONG, 0);
            if (list == 0) {
                throw new FabricException("fi_getinfo", "no answer", Fi.FI_ENODATA);
            }
            return new FiInfo(this, list);
        }
    }

    private int getInfo(long node, long service, long flags, long hints, long out) {
        try {
            return (int) getInfo.invokeExact(requestVersion(), node, service, flags, hints, out);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** Opens the fabric that {@code info} names; fi_fabric(3). */
    public FiFabric openFabric(FiInfo info) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
            int code = (int) fabric.invokeExact(info.fabric(), out.address(), 0L);
            check("fi_fabric " + info.fabricName(), code);
            return new FiFabric(this, out.get(ValueLayout.JAVA_LONG, 0));
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** fi_dupinfo of {@code info}; of 0, a new empty one. */
    long duplicateInfo(long info) {
        try {
            long copy = (long) duplicateInfo.invokeExact(info);
            if (copy == 0) {
                throw new OutOfMemoryError("fi_dupinfo");
            }
            return copy;
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    void freeInfo(long info) {
        try {
            freeInfo.invokeExact(info);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    void check(String operation, long code) {
        if (code < 0) {
            throw new FabricException(operation, strerror((int) code), (int) code);
        }
    }
}
