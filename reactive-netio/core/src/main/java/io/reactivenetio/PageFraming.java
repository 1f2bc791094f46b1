// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.connection.FramingProvider;
import io.reactivenetio.framing.page.PageProvider;
import java.time.Duration;

/** PAGE framing and its settings, see {@link Framing#page}. */
public final class PageFraming extends PlainFraming<PageFraming> {
    static final PageFraming DEFAULT = new PageFraming(Common.DEFAULT, 0, 0);

    private static final Duration LONGEST = Duration.ofHours(1);

    private final int watermark;
    private final long flushNanos;

    private PageFraming(Common common, int watermark, long flushNanos) {
        super("PAGE", common);
        this.watermark = watermark;
        this.flushNanos = flushNanos;
    }

    @Override
    PageFraming with(Common changed) {
        return new PageFraming(changed, watermark, flushNanos);
    }

    /**
     * A page leaves as soon as it has {@code bytes} bytes. Unless set, it leaves when no further message fits. A page is a send
     * buffer. A watermark beyond its size is reported when binding or connecting.
     *
     * @throws IllegalArgumentException if {@code bytes} is less than 1
     */
    public PageFraming watermark(int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("the page watermark must be at least 1 byte: " + bytes);
        }
        return new PageFraming(common(), bytes, flushNanos);
    }

    /**
     * How long a page that is not full waits for further messages. It is 0 unless set: the page leaves at the end of the loop's
     * turn, with the messages of that turn, and waits for no others.
     *
     * @throws IllegalArgumentException if {@code interval} is negative or longer than an hour
     */
    public PageFraming flushInterval(Duration interval) {
        if (interval.isNegative() || interval.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("the flush interval must be between 0 and an hour: " + interval);
        }
        return new PageFraming(common(), watermark, interval.toNanos());
    }

    @Override
    FramingProvider provider(Duration keepAlive) {
        return new PageProvider(emptyMessageEnds(), closeEnds(), watermark, flushNanos);
    }
}
