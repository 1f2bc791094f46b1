// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.TestSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One run of netio, in a process of its own or in this one: what it wrote, and how it ended. */
abstract class NetioRun implements AutoCloseable {
    private static final Pattern LISTENING = Pattern.compile("(?m)^listening on (.+):([0-9]+)$");

    abstract String out();

    abstract String err();

    abstract boolean isAlive();

    /** Its exit code; fails if it takes longer than {@code limit}. */
    abstract int exitCode(Duration limit);

    @Override
    public abstract void close();

    /** Its exit code; fails if it takes longer than {@link TestSettings#PATIENCE}. */
    final int exitCode() {
        return exitCode(PATIENCE);
    }

    /** Where a receiver or publisher listens. */
    final String address() {
        await("a line that says where it listens", () -> LISTENING.matcher(err()).find() || !isAlive());
        Matcher line = LISTENING.matcher(err());
        assertThat(line.find()).as("stderr: %s", err()).isTrue();
        return line.group(1) + ":" + line.group(2);
    }

    final void awaitProblem(String text) {
        await("'" + text + "' on stderr", () -> err().contains(text));
    }

    final void await(String what, BooleanSupplier condition) {
        Eventually.await(condition::getAsBoolean, () -> what + "; stderr: " + err());
    }

    final void expectSuccess() {
        int code = exitCode();
        assertThat(code).as(err()).isZero();
    }

    /** The lines on stderr but the one that says where it listens. */
    final List<String> problems() {
        return err().lines().filter(line -> !line.startsWith("listening on ")).toList();
    }

    /** A port that nobody else is given until it is closed, and where nobody listens until somebody is told to. */
    static Socket reservedPort() throws IOException {
        Socket socket = new Socket();
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(TestSettings.ADDRESS, 0));
        return socket;
    }
}
