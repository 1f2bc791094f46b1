// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.page;

import java.time.Duration;

/**
 * When pages leave, with PAGE framing.
 *
 * @param watermark the bytes at which a page leaves; with 0 it leaves when no further message fits
 * @param flushInterval how long a page may wait for messages; with 0 it waits until the end of the loop's turn
 */
public record PageConfig(int watermark, Duration flushInterval) {
    private static final Duration LONGEST = Duration.ofHours(1);

    public PageConfig {
        if (flushInterval.isNegative() || flushInterval.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("the flush interval must be between 0 and an hour: " + flushInterval);
        }
    }

    public static PageConfig defaults() {
        return new PageConfig(0, Duration.ZERO);
    }

    public PageConfig withWatermark(int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("the page watermark must be at least 1 byte: " + bytes);
        }
        return new PageConfig(bytes, flushInterval);
    }

    public PageConfig withFlushInterval(Duration interval) {
        return new PageConfig(watermark, interval);
    }
}
