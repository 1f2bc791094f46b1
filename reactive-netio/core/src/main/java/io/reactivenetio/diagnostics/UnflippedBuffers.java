// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.diagnostics;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds buffers that were written and not flipped, which are messages without a byte. */
public final class UnflippedBuffers {
    private static final Logger LOG = LoggerFactory.getLogger(UnflippedBuffers.class);
    private static final AtomicBoolean WARNED = new AtomicBoolean();

    private UnflippedBuffers() {
    }

    /** Forgets what was said: for tests, of which others may have been warned before in the same JVM. */
    static void beginAnew() {
        WARNED.set(false);
    }

    /** Warns, once, if a buffer of which nothing remains looks like one of those. Any thread. */
    public static void check(ByteBuffer empty) {
        if (empty.position() > 0 && empty.limit() == empty.capacity() && !WARNED.getAndSet(true)) {
            LOG.warn("A message of 0 bytes is sent, from a buffer whose position {} is at its limit. The bytes from position to"
                    + " limit are sent: flip() the buffer after writing, or write at indices (putLong(0, value)). This is said"
                    + " once.", empty.position());
        }
    }
}
