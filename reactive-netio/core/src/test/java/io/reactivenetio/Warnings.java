// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.transport.backend.LogBudget;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** What is logged while it is open: the tests' logger writes to System.err. */
public final class Warnings implements AutoCloseable {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream text = new ByteArrayOutputStream();

    public Warnings() {
        LogBudget.reset(); // others may have used it up
        System.setErr(new PrintStream(text, true, StandardCharsets.UTF_8));
    }

    public String text() {
        return text.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        System.setErr(before);
    }
}
