// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Command;

class FailuresTest {
    /** Has a result. */
    @Command(name = "result")
    static final class Result implements Callable<Integer> {
        @Override
        public Integer call() {
            System.out.println("42");
            return 0;
        }
    }

    private record Outcome(int code, String err) {
    }

    private static Outcome run(OutputStream to) {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setOut(new PrintStream(to, false, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            int code = new Failures(() -> false).run(new Result());
            return new Outcome(code, said.toString(StandardCharsets.UTF_8).strip());
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    }

    @Test
    void shouldFailWhenAResultCannotBeWritten() throws IOException {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        assertThat(run(whole)).isEqualTo(new Outcome(0, ""));
        assertThat(whole.toString(StandardCharsets.UTF_8)).isEqualTo("42" + System.lineSeparator());
        try (OutputStream full = new FileOutputStream("/dev/full")) {
            assertThat(run(full)).isEqualTo(new Outcome(1,
                    "netio: the result could not be written to standard output: it is full, or closed"));
        }
    }
}
