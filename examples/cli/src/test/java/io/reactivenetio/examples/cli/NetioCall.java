// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.examples.Netio;
import io.reactivenetio.examples.TestJvm;
import io.reactivenetio.testing.TestSettings;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A netio command on a thread of this JVM, without the time that a JVM takes to start. What the command prints on that thread is
 * its own; what other threads print, such as the loops with the library's log, is not. A process of its own
 * ({@link NetioProcess}) is for stdin and stdout as files, signals, memory, processor time, and environments.
 */
final class NetioCall extends NetioRun {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Thread thread;
    private volatile int code = -1;

    private NetioCall(List<String> args) {
        Console console = new Console(stream(out), stream(err));
        thread = Thread.ofPlatform().daemon().name("netio " + args).start(() -> console.run(() -> code = Netio.run(
                args.toArray(String[]::new))));
    }

    private static PrintStream stream(OutputStream to) {
        return new PrintStream(to, true, StandardCharsets.UTF_8);
    }

    static NetioCall start(String... args) {
        return new NetioCall(TestJvm.netioArguments(args));
    }

    /** A receiver on a free loopback port, listening already. */
    static NetioCall receiver(String... args) {
        List<String> all = new ArrayList<>(List.of("recv", "--listen", TestSettings.ADDRESS + ":0"));
        all.addAll(List.of(args));
        NetioCall receiver = start(all.toArray(String[]::new));
        receiver.address();
        return receiver;
    }

    /** A sender of what never ends. */
    static NetioCall endlessSender(NetioRun recv) {
        return start("send", "--to", recv.address(), "/dev/zero", "--message-size", "20000");
    }

    @Override
    int exitCode(Duration limit) {
        try {
            assertThat(thread.join(limit)).as("ended within %s; %s", limit, err()).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return code;
    }

    @Override
    String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    @Override
    String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Override
    boolean isAlive() {
        return thread.isAlive();
    }

    /** Interrupts what has not ended: a command then closes what it has opened. */
    @Override
    public void close() {
        thread.interrupt();
        exitCode(PATIENCE);
    }
}
