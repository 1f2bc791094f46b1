// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.stream;

import io.reactivenetio.transport.ReceivedBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A page that arrived, for as long as it is read or a message in it is kept. Its messages keep it from any thread; with the last
 * reference its buffer goes back to be posted, which is the credit that the peer gets back. An object whose page was only read
 * serves the next one.
 */
final class Page {
    private final HeldPages held;
    private ReceivedBuffer buffer;
    private boolean data;
    /** One is the reader's, while it goes through the page. */
    private final AtomicInteger references = new AtomicInteger();

    Page(HeldPages held, ReceivedBuffer buffer, boolean data) {
        this.held = held;
        this.buffer = buffer;
        begin(buffer, data);
    }

    /** Nobody has a reference. */
    void begin(ReceivedBuffer arrived, boolean hasData) {
        buffer = arrived;
        data = hasData;
        references.set(1);
    }

    ReceivedBuffer buffer() {
        return buffer;
    }

    /** By whoever has a reference. */
    void retain() {
        references.incrementAndGet();
    }

    void release() {
        if (references.decrementAndGet() == 0) {
            buffer.release();
            held.released(data);
        }
    }

    /**
     * The reader is through, within the backend's callback, which posts the buffer again unless somebody keeps it. True if nobody
     * does.
     */
    boolean leave() {
        if (references.get() == 1) {
            held.released(data);
            return true;
        }
        buffer.retain();
        release();
        return false;
    }
}
