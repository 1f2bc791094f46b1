// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Where System.out and System.err go for the thread that runs something with it; other threads' go where they went before. */
record Console(PrintStream out, PrintStream err) {
    private static final ThreadLocal<@Nullable Console> CURRENT = new ThreadLocal<>();

    static {
        System.setOut(new PrintStream(new Router(System.out, Console::out), true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(new Router(System.err, Console::err), true, StandardCharsets.UTF_8));
    }

    void run(Runnable program) {
        CURRENT.set(this);
        try {
            program.run();
        } finally {
            CURRENT.remove();
        }
    }

    private static final class Router extends FilterOutputStream {
        private final Function<Console, PrintStream> chosen;

        Router(PrintStream usual, Function<Console, PrintStream> chosen) {
            super(usual);
            this.chosen = chosen;
        }

        private OutputStream current() {
            Console console = CURRENT.get();
            return console == null ? out : chosen.apply(console);
        }

        @Override
        public void write(int b) throws IOException {
            current().write(b);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            current().write(bytes, offset, length);
        }

        @Override
        public void flush() throws IOException {
            current().flush();
        }
    }
}
