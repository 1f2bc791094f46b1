// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.loop.EventLoop;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jctools.queues.MessagePassingQueue;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A main method of the tests in a JVM of its own, which has less of something than ours. They speak in lines. */
public final class ChildJvm implements AutoCloseable {
    private final Process process;
    private final BufferedReader lines;
    private final Path errors = Files.createTempFile("child", ".err");

    /** {@code limits}: shell commands, such as ulimit; {@code options} of java. */
    public ChildJvm(String limits, String options, Class<?> main, String... arguments) throws IOException {
        String access = options.contains("native-access") ? " " : " --enable-native-access=ALL-UNNAMED ";
        process = new ProcessBuilder("bash", "-c", limits + "; exec '" + System.getProperty("java.home") + "/bin/java'"
                + access + options + " -cp '" + classPath(main) + "' '" + main.getName() + "' "
                + String.join(" ", arguments)).redirectError(errors.toFile()).start();
        lines = process.inputReader(StandardCharsets.US_ASCII);
    }

    private static String classPath(Class<?> main) {
        try {
            List<String> classPath = new ArrayList<>(List.of(root(EventLoop.class), root(main)));
            for (Class<?> type : List.of(Logger.class, LoggerFactory.getILoggerFactory().getClass(), MessagePassingQueue.class,
                    MpscUnboundedVarHandleArrayQueue.class, Nullable.class)) {
                classPath.add(Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
            }
            return String.join(":", classPath);
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    /** The directory that a class of this project is in. */
    private static String root(Class<?> type) throws URISyntaxException {
        String file = type.getName().substring(type.getPackageName().length() + 1) + ".class";
        return Path.of(Objects.requireNonNull(type.getResource(file)).toURI()).resolve("../".repeat(
                type.getPackageName().split("\\.").length) + "..").normalize().toString();
    }

    /** The next line it says. */
    public String hear() throws IOException {
        String line = lines.readLine();
        if (line == null) {
            throw new AssertionError("the child has ended: " + Files.readString(errors));
        }
        return line;
    }

    /** What it has written to its standard error so far. */
    public String errors() throws IOException {
        return Files.readString(errors);
    }

    public void say(String line) throws IOException {
        process.outputWriter().append(line).append('\n').flush();
    }

    /** In the child: waits for a line. */
    public static void listen() throws IOException {
        int heard = System.in.read();
        while (heard != '\n' && heard >= 0) {
            heard = System.in.read();
        }
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        try {
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } finally {
            lines.close();
            process.getOutputStream().close(); // or a thread of the JDK does, while the next test counts descriptors
            Files.delete(errors);
        }
    }
}
