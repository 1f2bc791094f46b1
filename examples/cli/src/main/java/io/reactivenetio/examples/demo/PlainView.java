// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** A line per second, for a file or a pipe. */
final class PlainView implements View {
    private final PrintStream out;
    private final DetectorSettings settings;
    private Sample previous = Sample.of(List.of(), new EventMonitor(), DetectorStatus.none());

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
        double seconds = now.secondsSince(before);
        if (now.status().equals(before.status()) && now.received() == before.received()) {
            return; // not begun yet, or over
        }
        previous = now;
        out.printf(Locale.ROOT, "%5.1f s  events %.0f/s  fragments %.0f/s  %.2f MB/s  trigger %.0f of %d Hz  busy %.0f %%"
                        + "  demand %d  stalls %d  faults %d  missing %d%n",
                now.status().millis() / 1000.0, now.eventsPerSecondSince(before), (now.received() - before.received()) / seconds,
                (now.bytes() - before.bytes()) / seconds / 1e6, now.status().rateSince(before.status()), settings.rate,
                now.status().busySince(before.status()) * 100, now.demand(), now.stalls(),
                now.truncated() + now.corrupted(), now.missing());
    }

    @Override
    public void close() {
        out.flush();
    }
}
