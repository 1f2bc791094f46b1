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
    /** Somebody may make the terminal smaller. It is asked once in so many times. */
    private static final long ASKED = 10;
    private static final String CLEAR_LINE = "\r\u001b[K";

    private final @Nullable Disposable ticks;
    private int columns = Terminal.Size.USUAL.columns();

    private StatusLine(@Nullable Terminal terminal, Supplier<String> text) {
        ticks = terminal == null ? null : Flux.interval(INTERVAL).subscribe(tick -> {
            if (tick % ASKED == 0) {
                columns = terminal.size(Terminal.Size.USUAL).columns();
            }
            show(cut(text.get(), columns));
        });
    }

    /** Shows {@code text}, if that is {@code wanted}, until this is closed. */
    public static StatusLine of(Supplier<String> text, boolean wanted) {
        boolean shown = wanted && Terminal.movesCursor(System.getenv("TERM"));
        return new StatusLine(shown ? Terminal.of(Terminal.ERR) : null, text);
    }

    /** What has room: a terminal that is written beyond its last column has one line more, which is never cleared. */
    static String cut(String text, int columns) {
        return text.length() < columns ? text : text.substring(0, Math.max(0, columns - 1));
    }

    private static void show(String text) {
        System.err.print(CLEAR_LINE + text);
        System.err.flush();
    }

    /** Says something on stderr that stays there, also if this is not shown. */
    public void say(String text) {
        System.err.println((ticks == null ? "" : CLEAR_LINE) + text);
    }

    /** Makes room for a line on another output of the same terminal. It is shown again by and by. */
    public void clear() {
        if (ticks != null) {
            System.err.print(CLEAR_LINE);
            System.err.flush();
        }
    }

    @Override
    public void close() {
        if (ticks != null) {
            ticks.dispose();
            clear();
        }
    }
}
