// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import io.reactivenetio.ffm.RawMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * An open object of libfabric: {@code struct fid}. All its calls come from one thread at a time, but for {@link FiFabric}.
 * Closing is idempotent; any other use after close is an IllegalStateException. Objects are closed before the objects they
 * were opened from.
 */
public abstract class Fid implements AutoCloseable {
    final FiFunctions functions;
    private final long address;
    /** Volatile for the fabric, the only object that several threads share. */
    private volatile boolean closed;

    /** Wraps an object of libfabric; only classes of this package are such objects. */
    Fid(FiFunctions functions, long address) {
        this.functions = functions;
        this.address = address;
    }

    /**
     * What events name this object by ({@code fid_t}). Still answers after close; libfabric may then give it to another
     * object.
     */
    public final long address() {
        return address;
    }

    public final boolean isClosed() {
        return closed;
    }

    /** The address for a call of libfabric, checked. */
    final long open() {
        if (closed) {
            throw new IllegalStateException(this + " is closed");
        }
        return address;
    }

    /**
     * fi_close. Fails with FI_EBUSY, and leaves the object open, while objects opened from it or bound to it are open;
     * after any other failure the object counts as closed.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        int code = FiCalls.call(RawMemory.function(address, FiLayout.FID_OPS, FiLayout.OPS_CLOSE), address);
        closed = code != -Fi.FI_EBUSY;
        check("fi_close of " + this, code);
    }

    final void bindTo(Fid other, long flags) {
        long self = open();
        check("fi_bind of " + this, FiCalls.call(RawMemory.function(self, FiLayout.FID_OPS, FiLayout.OPS_BIND), self,
                other.open(), flags));
    }

    final int control(int command, long argument) {
        long self = open();
        return FiCalls.control(RawMemory.function(self, FiLayout.FID_OPS, FiLayout.OPS_CONTROL), self, command, argument);
    }

    final void check(String operation, long code) {
        functions.check(operation, code);
    }

    /**
     * Calls {@code int f(self, a, pointer to result, NULL)}, the shape of every function that opens an object, and
     * returns the result.
     */
    final long openObject(String operation, MemorySegment function, long argument) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
            check(operation, FiCalls.call(function, open(), argument, out.address(), 0));
            return out.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    @Override
    public final String toString() {
        return getClass().getSimpleName() + "@" + Long.toHexString(address);
    }
}
