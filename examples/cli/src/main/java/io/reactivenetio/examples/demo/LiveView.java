// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The view for a terminal of 80 columns and 24 lines: rates over the last second, the links, the hits. */
final class LiveView implements View {
    private static final int WIDTH = 79;
    private static final int MAX_LINKS = 5;
    private static final int BAR = 10;
    private static final int SAMPLES = 6;
    private static final Sample.Link NOTHING_YET = new Sample.Link(-1, 0, 0, 0, 0, 0, 0, 0);

    private final Screen screen;
    private final Glyphs glyphs;
    private final DetectorSettings settings;
    private final String title;
    private final Histogram histogram;
    private final ArrayDeque<Sample> samples = new ArrayDeque<>();

    LiveView(Screen screen, Glyphs glyphs, DetectorSettings settings, String title, Histogram histogram) {
        this.screen = screen;
        this.glyphs = glyphs;
        this.settings = settings;
        this.title = title;
        this.histogram = histogram;
    }

    @Override
    public Duration period() {
        return Duration.ofMillis(200);
    }

    @Override
    public void show(Sample sample) {
        samples.addLast(sample);
        if (samples.size() > SAMPLES) {
            samples.removeFirst();
        }
        screen.paint(lines(sample, samples.getFirst()));
    }

    List<String> lines(Sample now, Sample before) {
        List<String> lines = new ArrayList<>();
        header(lines, now);
        rates(lines, now, before);
        lines.add("");
        links(lines, now, before);
        lines.add("");
        lines.add(" " + Screen.styled(Screen.BOLD, "hits per fragment") + Text.format("  mean %.2f", histogram.mean()));
        List<String> bars = histogram.lines(5, glyphs);
        for (int i = 0; i < bars.size(); i++) {
            lines.add("   " + Screen.styled(i < bars.size() - 1 ? Screen.CYAN : Screen.DIM, bars.get(i)));
        }
        return lines;
    }

    private void header(List<String> lines, Sample now) {
        String time = Text.format("%.1f of %.0f s", now.status().millis() / 1000.0, settings.seconds);
        String text = " " + title.replace("|", glyphs.dot());
        lines.add(Screen.styled(Screen.BOLD, text) + " ".repeat(Math.max(1, WIDTH - text.length() - time.length())) + time);
        lines.add(Screen.styled(Screen.DIM, glyphs.rule(WIDTH)));
    }

    private void rates(List<String> lines, Sample now, Sample before) {
        double seconds = now.secondsSince(before);
        double busy = now.status().busySince(before.status());
        String colour = busy < 0.05 ? Screen.GREEN : busy < 0.5 ? Screen.YELLOW : Screen.RED;
        lines.add(Text.format(" trigger    %,10.0f Hz  of %,d Hz nominal", now.status().rateSince(before.status()),
                settings.rate));
        lines.add(" busy       " + Screen.styled(colour, Text.format("%10.1f %%   ", busy * 100) + glyphs.bar(busy, 40)));
        lines.add(Text.format(" events     %,10.0f /s  total %,d", now.eventsPerSecondSince(before), now.events()));
        lines.add(Text.format(" fragments  %,10.0f /s  total %,d", (now.received() - before.received()) / seconds,
                now.received()));
        lines.add(Text.format(" data       %,10.2f MB/s  total %,.1f MB", (now.bytes() - before.bytes()) / seconds / 1e6,
                now.bytes() / 1e6));
        lines.add(Text.format(" faults     %,10d  %,d truncated, %,d corrupted, ", now.truncated() + now.corrupted(),
                now.truncated(), now.corrupted()) + missing(now.missing(), "%,d missing"));
    }

    private void links(List<String> lines, Sample now, Sample before) {
        lines.add(Screen.styled(Screen.BOLD, Text.format(" link%9s%7s  %-" + (BAR + 8) + "s%12s%10s%8s%8s",
                "frags/s", "MB/s", "demand", "stalls", "truncated", "corrupt", "missing")));
        int shown = now.links().size() <= MAX_LINKS ? now.links().size() : MAX_LINKS - 1;
        for (Sample.Link link : now.links().subList(0, shown)) {
            lines.add(line(link, before, now.secondsSince(before)));
        }
        if (shown < now.links().size()) {
            lines.add(Screen.styled(Screen.DIM, Text.format("   … %d more links", now.links().size() - shown)));
        }
    }

    private String line(Sample.Link link, Sample before, double seconds) {
        Sample.Link earlier = before.links().stream().filter(l -> l.number() == link.number()).findFirst()
                .orElse(NOTHING_YET);
        double asked = Math.min(1, (double) link.demand() / ReadoutLink.AHEAD);
        String colour = asked > 0.2 ? Screen.GREEN : asked > 0 ? Screen.YELLOW : Screen.RED;
        return Text.format(" %4d%,9.0f%7.2f  ", link.number(),
                (link.received() - earlier.received()) / seconds, (link.bytes() - earlier.bytes()) / seconds / 1e6)
                + Screen.styled(colour, glyphs.bar(asked, BAR))
                + Text.format(" %3d    ", link.demand())
                + Text.format("%,12d%,10d%,8d", link.stalls(), link.truncated(), link.corrupted())
                + missing(link.missing(), "%,8d");
    }

    private static String missing(long number, String format) {
        String text = Text.format(format, number);
        return number == 0 ? text : Screen.styled(Screen.RED, text);
    }

    @Override
    public void close() {
        screen.close();
    }
}
