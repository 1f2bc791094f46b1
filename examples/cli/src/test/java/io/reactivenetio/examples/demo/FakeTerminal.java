// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.examples.cli.Terminal;
import io.reactivenetio.examples.demo.screen.Screen;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** As much of a terminal as {@link Screen} uses, with lines that are broken anew when it gets narrower. */
final class FakeTerminal extends OutputStream {
    private static final Pattern SEQUENCE = Pattern.compile("\u001b\\[(\\??)([0-9;]*)([A-Za-z])");

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final List<String> scrolled = new ArrayList<>();
    private List<StringBuilder> lines = new ArrayList<>();
    private List<StringBuilder> hidden = List.of();
    private int columns;
    private int rows;
    private int row;
    private int column;
    private boolean other;
    private boolean wraps = true;
    private boolean cursor = true;

    FakeTerminal(int columns, int rows) {
        this.columns = columns;
        this.rows = rows;
        clear();
    }

    Terminal.Size size() {
        return new Terminal.Size(columns, rows);
    }

    private void clear() {
        lines = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            lines.add(new StringBuilder());
        }
    }

    /** Breaks lines that are too long now, and moves up what has no room below: what xterm and others do. */
    void resize(Terminal.Size size) {
        columns = size.columns();
        List<StringBuilder> broken = new ArrayList<>();
        for (StringBuilder line : lines) {
            for (int from = 0; from == 0 || from < line.length(); from += columns) {
                broken.add(new StringBuilder(line.substring(from, Math.min(line.length(), from + columns))));
            }
        }
        rows = size.rows();
        while (broken.size() < rows) {
            broken.add(new StringBuilder());
        }
        while (broken.size() > rows) {
            StringBuilder top = broken.removeFirst();
            if (!other) {
                scrolled.add(top.toString());
            }
        }
        lines = broken;
        row = Math.min(row, rows - 1);
    }

    @Override
    public void write(int b) {
        bytes.write(b);
    }

    @Override
    public void flush() {
        String text = bytes.toString(StandardCharsets.UTF_8);
        bytes.reset();
        Matcher sequence = SEQUENCE.matcher(text);
        int at = 0;
        while (at < text.length()) {
            if (sequence.find(at) && sequence.start() == at) {
                obey(sequence.group(1) + sequence.group(3), sequence.group(2));
                at = sequence.end();
            } else {
                print(text.charAt(at++));
            }
        }
    }

    private void print(char c) {
        if (c == '\n') {
            feed();
            column = 0; // as a tty does it
            return;
        }
        if (c == '\r') {
            column = 0;
            return;
        }
        if (column >= columns) {
            if (wraps) {
                feed();
                column = 0;
            } else {
                column = columns - 1;
            }
        }
        StringBuilder line = lines.get(row);
        while (line.length() <= column) {
            line.append(' ');
        }
        line.setCharAt(column++, c);
    }

    private void feed() {
        if (row < rows - 1) {
            row++;
            return;
        }
        StringBuilder top = lines.removeFirst();
        scrolled.add(top.toString());
        lines.add(new StringBuilder());
    }

    private void obey(String command, String argument) {
        switch (command) {
            case "?h", "?l" -> mode(argument, command.equals("?h"));
            case "H" -> {
                String[] place = argument.split(";");
                row = Math.min(rows, Integer.parseInt(place[0])) - 1;
                column = Integer.parseInt(place[1]) - 1;
            }
            case "K" -> {
                if (!argument.equals("2")) {
                    throw new IllegalArgumentException("not known: " + command + argument);
                }
                lines.get(row).setLength(0);
            }
            case "J" -> {
                if (argument.equals("2")) {
                    clear();
                } else {
                    lines.get(row).setLength(Math.min(column, lines.get(row).length()));
                    lines.subList(row + 1, rows).forEach(line -> line.setLength(0));
                }
            }
            case "m" -> { }
            default -> throw new IllegalArgumentException("not known: " + command + argument);
        }
    }

    private void mode(String number, boolean on) {
        switch (number) {
            case "7" -> wraps = on;
            case "25" -> cursor = on;
            case "1049" -> {
                List<StringBuilder> back = hidden;
                hidden = lines;
                other = on;
                clear();
                if (!on) {
                    lines = new ArrayList<>(back);
                    resize(size());
                    row = (int) lines.stream().filter(line -> !line.isEmpty()).count();
                    column = 0;
                }
            }
            default -> throw new IllegalArgumentException("not known: mode " + number);
        }
    }

    /** Its lines, without empty ones at the end. */
    List<String> shown() {
        List<String> shown = new ArrayList<>(lines.stream().map(line -> line.toString().stripTrailing()).toList());
        while (!shown.isEmpty() && shown.getLast().isEmpty()) {
            shown.removeLast();
        }
        return shown;
    }

    /** What has gone beyond the top. */
    List<String> scrolled() {
        return scrolled;
    }

    /** Whether it is the usual screen that is shown. */
    boolean usual() {
        return !other;
    }

    boolean wraps() {
        return wraps;
    }

    boolean cursorShown() {
        return cursor;
    }
}
