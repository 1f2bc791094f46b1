// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.diagnostics;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds decoders that keep the buffer they were shown: it has another message soon, and nothing throws. What a decoder makes is
 * looked at: a ByteBuffer itself, or the components of a record.
 */
public final class KeptBuffers {
    /** One message in so many is looked at, as one lease is watched; 0 for none. */
    public static final int SAMPLING = Integer.getInteger("io.reactivenetio.leaseSampling", 1024);

    private static final Logger LOG = LoggerFactory.getLogger(KeptBuffers.class);
    private static final AtomicBoolean WARNED = new AtomicBoolean();

    private KeptBuffers() {
    }

    /** Forgets what was said: for tests, of which others may have been warned before in the same JVM. */
    static void beginAnew() {
        WARNED.set(false);
    }

    /** Warns, once, if {@code made}, which {@code decoder} made of {@code message}, shows the same memory. */
    public static void check(@Nullable Object made, ByteBuffer message, Object decoder) {
        if (isKept(made, message) && !WARNED.getAndSet(true)) {
            LOG.warn("The decoder {} returns the buffer that it was shown, or one that shows the same memory, in a {}. That has"
                    + " another message soon, and what is read there later is wrong: copy what is to be kept, or use receive() or"
                    + " receiveLeased(). -Dio.reactivenetio.checkBuffers=true makes a late use throw, with its place. This is"
                    + " said once.", decoder.getClass().getName(), made == null ? "" : made.getClass().getName());
        }
    }

    private static boolean isKept(@Nullable Object made, ByteBuffer message) {
        if (made instanceof ByteBuffer buffer) {
            return shareMemory(buffer, message);
        }
        if (made instanceof Record held) {
            for (RecordComponent component : held.getClass().getRecordComponents()) {
                if (ByteBuffer.class.isAssignableFrom(component.getType())
                        && value(component, held) instanceof ByteBuffer buffer && shareMemory(buffer, message)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static @Nullable Object value(RecordComponent component, Record of) {
        try {
            Method accessor = component.getAccessor();
            return accessor.trySetAccessible() ? accessor.invoke(of) : null;
        } catch (ReflectiveOperationException failed) {
            return null; // the user's accessor has thrown
        }
    }

    private static boolean shareMemory(ByteBuffer one, ByteBuffer other) {
        if (one.capacity() == 0 || other.capacity() == 0) {
            return false;
        }
        MemorySegment whole = MemorySegment.ofBuffer(one.duplicate().clear());
        return whole.asOverlappingSlice(MemorySegment.ofBuffer(other.duplicate().clear())).isPresent();
    }
}
