// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.examples.cli.Terminal;
import io.reactivenetio.examples.demo.screen.Canvas;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.UnaryOperator;

/** The view for a terminal or a film: a frame several times a second, with rates over the last second. */
final class LiveView implements View {
    private static final int SAMPLES = 6;
    /** The terminal is asked for its size every so many frames: about once a second. */
    private static final int FRAMES_OF_A_SIZE = 5;

    static final Duration PERIOD = Duration.ofMillis(200);

    private final Canvas canvas;
    private final Frame frame;
    private final UnaryOperator<Terminal.Size> sizeNow;
    private final ArrayDeque<Sample> samples = new ArrayDeque<>();
    private Terminal.Size size;
    private int frames;

    /**
     * A view of {@code size} at first.
     *
     * @param sizeNow the terminal's size, or what it is given if that is not known
     */
    LiveView(Canvas canvas, Frame frame, Terminal.Size size, UnaryOperator<Terminal.Size> sizeNow) {
        this.canvas = canvas;
        this.frame = frame;
        this.size = size;
        this.sizeNow = sizeNow;
    }

    @Override
    public Duration period() {
        return PERIOD;
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
        canvas.paint(frame.live(sample, samples.getFirst(), size), size);
    }

    @Override
    public void end(Summary summary) {
        size = sizeNow.apply(size);
        canvas.end(frame.last(summary, size));
    }

    @Override
    public void close() {
        canvas.close();
    }
}
