// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.lease.PageLeases;
import io.reactivenetio.transport.ReceivedBuffer;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A page that arrived, for as long as it is read or a message in it is kept. Its messages keep it from any thread; with the last
 * reference its buffer goes back to be posted, which is the credit that the peer gets back. An object whose page was only read
 * serves the next one.
 */
final class Page implements ReceivedBuffer {
    private final CreditReturns held;
    private ReceivedBuffer buffer;
    private boolean data;
    /** One is the reader's, while it goes through the page. */
    private final AtomicInteger references = new AtomicInteger();
    private final PageLeases leases = new PageLeases();

    Page(CreditReturns held, ReceivedBuffer buffer, boolean data) {
        this.held = held;
        this.buffer = buffer;
        begin(buffer, data);
    }

    /** Nobody has a reference. */
    void begin(ReceivedBuffer arrived, boolean hasData) {
        buffer = arrived;
        data = hasData;
        leases.clear();
        references.set(1);
    }

    ReceivedBuffer buffer() {
        return buffer;
    }

    PageLeases leases() {
        return leases;
    }

    @Override
    public ByteBuffer data() {
        return buffer.data();
    }

    @Override
    public int length() {
        return buffer.length();
    }

    /** Whether somebody besides the reader has a reference. */
    boolean isKept() {
        return references.get() > 1;
    }

    /** By whoever has a reference. */
    @Override
    public void retain() {
        references.incrementAndGet();
    }

    @Override
    public void release() {
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
