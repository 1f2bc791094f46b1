// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo.screen;

import io.reactivenetio.examples.cli.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;

/**
 * Paints frames on the terminal's other screen, one over the other, and leaves the last one on the usual screen, among what was
 * there before. So nothing piles up, however often the terminal's size changes: each line has a place, and is cut where it is too
 * long. What is written to standard error meanwhile, by a log for one, would tear the frames apart: it comes afterwards. Any
 * thread.
 */
public final class Screen implements Canvas {
    private static final String ESC = "\u001b[";
    private static final String OTHER_SCREEN = ESC + "?1049h";
    private static final String USUAL_SCREEN = ESC + "?1049l";
    private static final String NO_CURSOR = ESC + "?25l";
    private static final String CURSOR = ESC + "?25h";
    private static final String NO_WRAPPING = ESC + "?7l";
    private static final String WRAPPING = ESC + "?7h";
    private static final String CLEAR = ESC + "2J";
    private static final String CLEAR_LINE = ESC + "2K";
    private static final String CLEAR_BELOW = ESC + "J";

    private final PrintStream out;
    private final PrintStream errors = System.err;
    private final ByteArrayOutputStream held = new ByteArrayOutputStream();
    private final boolean colours;
    private List<Line> last = List.of();
    private Terminal.Size size;
    private boolean closed;

    public Screen(PrintStream out, Terminal.Size size, boolean colours) {
        this.out = out;
        this.colours = colours;
        this.size = size;
        System.setErr(new PrintStream(held, true, errors.charset()));
        out.print(OTHER_SCREEN + NO_CURSOR + NO_WRAPPING + CLEAR);
    }

    @Override
    public synchronized void paint(List<Line> lines, Terminal.Size now) {
        if (closed) {
            return;
        }
        StringBuilder frame = new StringBuilder();
        if (!now.equals(size)) {
            frame.append(CLEAR); // the terminal may have moved what was there
            size = now;
        }
        for (int i = 0; i < lines.size(); i++) {
            frame.append(at(i)).append(CLEAR_LINE).append(lines.get(i).in(colours));
        }
        if (lines.size() < now.rows()) {
            frame.append(at(lines.size())).append(CLEAR_BELOW);
        }
        last = lines;
        out.print(frame);
        out.flush();
    }

    private static String at(int row) {
        return ESC + (row + 1) + ";1H";
    }

    @Override
    public synchronized void end(List<Line> lines) {
        last = lines;
        close();
    }

    /** Gives the usual screen back, with the last frame and what was held. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            out.print(WRAPPING + CURSOR + USUAL_SCREEN);
            last.forEach(line -> out.println(line.in(colours)));
            out.flush();
            System.setErr(errors);
            errors.print(held.toString(errors.charset()));
        }
    }
}
