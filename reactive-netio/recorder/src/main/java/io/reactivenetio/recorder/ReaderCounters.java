// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import java.util.concurrent.atomic.AtomicLong;

/** What the readers of a recording find. */
final class ReaderCounters {
    private final AtomicLong damagedBlocks = new AtomicLong();
    private final AtomicLong damagedBytes = new AtomicLong();

    void damaged(long bytes) {
        damagedBlocks.incrementAndGet();
        damagedBytes.addAndGet(bytes);
    }

    long damagedBlocks() {
        return damagedBlocks.get();
    }

    long damagedBytes() {
        return damagedBytes.get();
    }
}
