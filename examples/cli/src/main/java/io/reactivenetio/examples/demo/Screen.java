// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;

/**
 * Repaints a few lines of a terminal in place, with ANSI sequences. What is written to standard error meanwhile, by a log for
 * one, would tear them apart: it comes afterwards. Any thread.
 */
final class Screen implements AutoCloseable {
    static final String BOLD = "1";
    static final String DIM = "2";
    static final String RED = "31";
    static final String GREEN = "32";
    static final String YELLOW = "33";
    static final String CYAN = "36";

    private static final String ESC = "\u001b[";
    private static final boolean COLOURS = System.getenv("NO_COLOR") == null;

    private final PrintStream out;
    private final PrintStream errors = System.err;
    private final ByteArrayOutputStream held = new ByteArrayOutputStream();
    private int painted;
    private boolean closed;

    Screen(PrintStream out) {
        this.out = out;
        System.setErr(new PrintStream(held, true, errors.charset()));
        out.print(ESC + "?25l" + ESC + "?7l"); // no cursor, no wrapping
    }

    /** The text in a style; without one that means nothing to a terminal, the text. */
    static String styled(String style, String text) {
        return COLOURS ? ESC + style + "m" + text + ESC + "0m" : text;
    }

    synchronized void paint(List<String> lines) {
        if (closed) {
            return;
        }
        StringBuilder frame = new StringBuilder();
        if (painted > 0) {
            frame.append(ESC).append(painted).append('A');
        }
        for (String line : lines) {
            frame.append('\r').append(line).append(ESC).append("K\n");
        }
        frame.append(ESC).append('J');
        painted = lines.size();
        out.print(frame);
        out.flush();
    }

    /** Gives the cursor back, below what was painted. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            out.print(ESC + "?7h" + ESC + "?25h");
            out.flush();
            System.setErr(errors);
            errors.print(held.toString(errors.charset()));
        }
    }
}
