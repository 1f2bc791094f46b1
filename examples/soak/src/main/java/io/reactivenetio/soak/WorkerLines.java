// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.examples.conformance.Line;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** A worker's side of its conversation with the program: commands on standard input, lines on standard output. */
final class WorkerLines {
    private static final Line END = Line.of("end");

    private final PrintStream out;
    private final BlockingQueue<Line> commands = new LinkedBlockingQueue<>();

    @SuppressWarnings("SystemOut") // what the program reads
    WorkerLines() {
        out = System.out;
        Thread.ofPlatform().daemon().name("soak-commands").start(this::read);
    }

    /** Answers facts by itself. The process ends with its input, so none is left behind when the program is killed. */
    private void read() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String text; (text = in.readLine()) != null; ) {
                Line command = Line.parse(text);
                if (command.head().equals("facts")) {
                    say(ProcessFacts.ofThisProcess().line());
                } else {
                    commands.add(command);
                }
            }
        } catch (IOException e) {
            // as if it had ended
        }
        commands.add(END);
    }

    /** Says a word, with names and values by turns. Any thread. */
    void say(String word, Object... namesAndValues) {
        say(Line.of(word, namesAndValues));
    }

    private void say(Line line) {
        synchronized (out) {
            out.println(line);
            out.flush();
        }
    }

    /** Waits for the next command; null if there are no more. */
    @Nullable Line next() throws InterruptedException {
        Line next = commands.take();
        if (next == END) {
            commands.add(END);
            return null;
        }
        return next;
    }

    /** Waits until the program says {@code word}, or no more. */
    void await(String word) throws InterruptedException {
        Line next;
        do {
            next = next();
        } while (next != null && !next.head().equals(word));
    }
}
