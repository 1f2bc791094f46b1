// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/** A line on a terminal that says how far a transfer is; nothing if stderr is none, or one that cannot move its cursor. */
@SuppressWarnings("SystemOut")
final class Progress implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofMillis(200);
    private static final String CLEAR_LINE = "\r\u001b[K";

    private final @Nullable Disposable ticks;

    private Progress(@Nullable Disposable ticks) {
        this.ticks = ticks;
    }

    static Progress of(Tally tally, boolean wanted) {
        boolean shown = wanted && Terminal.of(Terminal.ERR) != null && Terminal.movesCursor(System.getenv("TERM"));
        return new Progress(shown ? Flux.interval(INTERVAL).subscribe(tick -> show(tally)) : null);
    }

    private static void show(Tally tally) {
        double megabytes = tally.bytes() / 1e6;
        System.err.printf(Locale.ROOT, "%s%.1f MB  %.1f MB/s", CLEAR_LINE, megabytes, megabytes / tally.seconds());
        System.err.flush();
    }

    @Override
    public void close() {
        if (ticks != null) {
            ticks.dispose();
            System.err.print(CLEAR_LINE);
            System.err.flush();
        }
    }
}
