// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import io.reactivenetio.transport.ReceivedBuffer;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A page for as long as leases are out on messages in it: together they hold one receive buffer. It begins with the first, and
 * is over with the last, even if the page has further messages. Any thread.
 */
final class LeasedPage implements ReceivedBuffer {
    private final ReceivedBuffer page;
    private final AtomicInteger leased = new AtomicInteger(1);

    LeasedPage(ReceivedBuffer page) {
        this.page = page;
    }

    /** One more; false if it is over. */
    boolean join() {
        int now = leased.get();
        while (now > 0) {
            if (leased.compareAndSet(now, now + 1)) {
                return true;
            }
            now = leased.get();
        }
        return false;
    }

    /** One less; true if it was the last. */
    boolean leave() {
        return leased.decrementAndGet() == 0;
    }

    boolean isOut() {
        return leased.get() > 0;
    }

    @Override
    public ByteBuffer data() {
        return page.data();
    }

    @Override
    public int length() {
        return page.length();
    }

    @Override
    public void retain() {
        page.retain();
    }

    @Override
    public void release() {
        page.release();
    }
}
