// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/** A line on a terminal that says how far a command is; nothing if stderr is none, or one that cannot move its cursor. */
@SuppressWarnings("SystemOut")
public final class StatusLine implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofMillis(200);
    private static final String CLEAR_LINE = "\r\u001b[K";

    private final @Nullable Disposable ticks;

    private StatusLine(@Nullable Disposable ticks) {
        this.ticks = ticks;
    }

    /** Shows {@code text}, if that is {@code wanted}, until this is closed. */
    public static StatusLine of(Supplier<String> text, boolean wanted) {
        boolean shown = wanted && Terminal.of(Terminal.ERR) != null && Terminal.movesCursor(System.getenv("TERM"));
        return new StatusLine(shown ? Flux.interval(INTERVAL).subscribe(tick -> show(text.get())) : null);
    }

    private static void show(String text) {
        System.err.print(CLEAR_LINE + text);
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
