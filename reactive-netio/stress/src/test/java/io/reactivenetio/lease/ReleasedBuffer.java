// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import io.reactivenetio.transport.backend.ReceivedBuffer;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** A receive buffer that counts: 0 references and one homecoming when all is well. Its first reference is the backend's. */
public final class ReleasedBuffer implements ReceivedBuffer {
    private static final ByteBuffer MESSAGE = ByteBuffer.allocateDirect(8);

    private final AtomicInteger references = new AtomicInteger();

    @Override
    public ByteBuffer data() {
        return MESSAGE;
    }

    @Override
    public int length() {
        return 8;
    }

    @Override
    public void retain() {
        references.incrementAndGet();
    }

    @Override
    public void release() {
        references.decrementAndGet();
    }

    /** Negative if somebody gave back what was not his. */
    public int references() {
        return references.get();
    }
}
