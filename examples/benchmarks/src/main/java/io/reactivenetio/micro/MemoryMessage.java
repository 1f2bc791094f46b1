// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

import io.reactivenetio.transport.backend.ReceivedBuffer;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** A message, or a page of them, that arrives again and again from where it lies. */
final class MemoryMessage implements ReceivedBuffer {
    private final ByteBuffer data;
    private final AtomicInteger references = new AtomicInteger();

    MemoryMessage(ByteBuffer data) {
        this.data = data;
    }

    @Override
    public ByteBuffer data() {
        return data;
    }

    @Override
    public int length() {
        return data.limit();
    }

    @Override
    public void retain() {
        references.incrementAndGet();
    }

    @Override
    public void release() {
        references.decrementAndGet();
    }
}
