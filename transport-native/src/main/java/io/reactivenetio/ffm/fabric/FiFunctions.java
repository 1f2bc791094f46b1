// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.ffm.RawMemory;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * The few functions that libfabric exports by name. All others are reached through the tables of its objects, with
 * {@link FiCalls}. The objects have this one in common. Thread-safe.
 */
@SuppressWarnings("restricted")
final class FiFunctions {
    private final MethodHandle strerror;
    private final MethodHandle getInfo;
    private final MethodHandle freeInfo;
    private final MethodHandle duplicateInfo;
    private final MethodHandle fabric;
    private final int requestVersion;

    FiFunctions(SymbolLookup lookup, String where, int requestVersion) {
        ValueLayout.OfInt i = ValueLayout.JAVA_INT;
        ValueLayout.OfLong l = ValueLayout.JAVA_LONG;
        this.requestVersion = requestVersion;
        this.strerror = bind(lookup, where, "fi_strerror", l, i);
        this.getInfo = bind(lookup, where, "fi_getinfo", i, i, l, l, l, l, l);
        this.freeInfo = bind(lookup, where, "fi_freeinfo", null, l);
        this.duplicateInfo = bind(lookup, where, "fi_dupinfo", l, l);
        this.fabric = bind(lookup, where, "fi_fabric", i, l, l, l);
    }

    /** Throws FabricUnavailableException if the library of {@code where} has no such function. */
    static MethodHandle bind(SymbolLookup lookup, String where, String name, @Nullable MemoryLayout result,
            MemoryLayout... arguments) {
        MemorySegment function = lookup.find(name).orElseThrow(() -> new FabricUnavailableException(
                where + " is not a usable libfabric: it has no " + name));
        FunctionDescriptor type = result == null ? FunctionDescriptor.ofVoid(arguments)
                : FunctionDescriptor.of(result, arguments);
        return Linker.nativeLinker().downcallHandle(function, type);
    }

    /** The version of the interface that is asked for. */
    int requestVersion() {
        return requestVersion;
    }

    /** The text of an error, given as a positive or negated number. */
    String strerror(int code) {
        try {
            return RawMemory.text((long) strerror.invokeExact(Math.abs(code)));
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    int getInfo(long node, long service, long flags, long hints, long out) {
        try {
            return (int) getInfo.invokeExact(requestVersion, node, service, flags, hints, out);
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

    /** fi_fabric: {@code attributes} is a struct fi_fabric_attr. */
    int fabric(long attributes, long out) {
        try {
            return (int) fabric.invokeExact(attributes, out, 0L);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** Throws FabricException for a negated error. */
    void check(String operation, long code) {
        if (code < 0) {
            throw new FabricException(operation, strerror((int) code), (int) code);
        }
    }
}
