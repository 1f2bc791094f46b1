// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.lease.PageLeases;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A page that has arrived, for as long as it is read or a message in it is kept. References are counted, on any thread. With the
 * last one the buffer goes back to the backend, which posts it: that is the credit that the peer gets back. The object of a page
 * of which nothing is kept serves the next page.
 */
final class Page implements ReceivedBuffer {
    private final CreditReturns held;
    private ReceivedBuffer buffer;
    private boolean data;
    /** The number of references. The reader has one while it goes through the page. */
    private final AtomicInteger references = new AtomicInteger();
    private final PageLeases leases = new PageLeases();

    Page(CreditReturns held, ReceivedBuffer buffer, boolean data) {
        this.held = held;
        this.buffer = buffer;
        begin(buffer, data);
    }

    /** Begins with another buffer; nobody has a reference to the page before. */
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

    /** Called by those that have a reference, on any thread. */
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
     * Ends the reader's reference, within the backend's callback. The backend posts the buffer again after the callback unless
     * somebody keeps the page. Returns true if nobody does.
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
