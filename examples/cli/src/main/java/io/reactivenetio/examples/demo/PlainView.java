// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.examples.demo.screen.Text;
import java.io.PrintStream;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A line per second, for a file, a pipe, or a terminal that cannot do more. */
final class PlainView implements View {
    private final PrintStream out;
    private final DetectorSettings settings;
    private @Nullable Sample previous;

    PlainView(PrintStream out, DetectorSettings settings) {
        this.out = out;
        this.settings = settings;
    }

    @Override
    public Duration period() {
        return Duration.ofSeconds(1);
    }

    @Override
    public void show(Sample now) {
        Sample before = previous;
        previous = now;
        if (before == null || now.status().equals(before.status()) && now.received() == before.received()) {
            return; // not begun yet, or over
        }
        double seconds = now.secondsSince(before);
        out.println(Text.format("%5.1f s  events %.0f/s  fragments %.0f/s  %.2f MB/s  trigger %.0f of %d Hz  busy %.1f %%"
                        + "  demand %d  stalls %d  faults %d  missing %d",
                now.status().millis() / 1000.0, now.eventsPerSecondSince(before), (now.received() - before.received()) / seconds,
                (now.bytes() - before.bytes()) / seconds / 1e6, now.status().rateSince(before.status()), settings.rate,
                now.status().busySince(before.status()) * 100, now.demand(), now.stalls(),
                now.truncated() + now.corrupted(), now.missing()));
    }

    @Override
    public void end(Summary summary) {
        Sample end = summary.end();
        out.println(Text.format("in all   events %d  fragments %d  %.2f MB  trigger %.0f of %d Hz  busy %.1f %%"
                        + "  stalls %d  faults %d  missing %d",
                end.events(), end.received(), end.bytes() / 1e6, summary.rate(), settings.rate, end.busy() * 100, end.stalls(),
                end.truncated() + end.corrupted(), end.missing()));
    }

    @Override
    public void close() {
        out.flush();
    }
}
