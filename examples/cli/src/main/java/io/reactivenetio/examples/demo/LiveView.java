// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.examples.cli.Terminal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.UnaryOperator;

/** The view for a terminal: a frame several times a second, with rates over the last second. */
final class LiveView implements View {
    private static final int SAMPLES = 6;
    /** The terminal is asked for its size every so many frames: about once a second. */
    private static final int FRAMES_OF_A_SIZE = 5;

    private final Screen screen;
    private final Frame frame;
    private final boolean colours;
    private final UnaryOperator<Terminal.Size> sizeNow;
    private final ArrayDeque<Sample> samples = new ArrayDeque<>();
    private Terminal.Size size;
    private int frames;

    /**
     * A view of {@code size} at first.
     *
     * @param sizeNow the terminal's size, or what it is given if that is not known
     */
    LiveView(Screen screen, Frame frame, boolean colours, Terminal.Size size, UnaryOperator<Terminal.Size> sizeNow) {
        this.screen = screen;
        this.frame = frame;
        this.colours = colours;
        this.size = size;
        this.sizeNow = sizeNow;
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
        if (++frames % FRAMES_OF_A_SIZE == 0) {
            size = sizeNow.apply(size);
        }
        screen.paint(styled(frame.live(sample, samples.getFirst(), size)), size);
    }

    @Override
    public void end(Summary summary) {
        size = sizeNow.apply(size);
        screen.end(styled(frame.last(summary, size)));
    }

    private List<String> styled(List<Line> lines) {
        return lines.stream().map(line -> line.in(colours)).toList();
    }

    @Override
    public void close() {
        screen.close();
    }
}
