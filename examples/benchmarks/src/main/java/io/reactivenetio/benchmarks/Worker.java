// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process that does one end of the rounds. It bounds its own time; what it has to say of a failure, it says on stderr. */
public final class Worker implements AutoCloseable {
    private static final String LIBRARY = "NETIO_LIBFABRIC";

    private final String name;
    private final Process process;
    private final BufferedReader answers;
    private final BufferedWriter commands;
    private final String libraryVersion;

    private Worker(String name, List<String> command) {
        this.name = name;
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(Redirect.INHERIT);
        String library = builder.environment().get(LIBRARY);
        if (library != null) { // the C program loads the same one
            Path folder = Path.of(library).toAbsolutePath().getParent();
            builder.environment().put("LD_LIBRARY_PATH", String.valueOf(folder));
        }
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new BenchFailedException("cannot start " + command.getFirst() + ": " + e.getMessage(), e);
        }
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        commands = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
        libraryVersion = answer("ready");
    }

    /** The C program. */
    public static Worker c(List<String> prefix, Path program) {
        List<String> command = new ArrayList<>(prefix);
        command.add(program.toString());
        return new Worker("the C program", command);
    }

    static Worker java(List<String> prefix) {
        return java(prefix, List.of(), BenchWorker.class);
    }

    /** A JVM like this one with more {@code options}, which runs {@code main}. */
    public static Worker java(List<String> prefix, List<String> options, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-Xms64m", "-Xmx256m", "-XX:-UsePerfData",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"));
        command.addAll(options);
        Module module = main.getModule();
        String path = System.getProperty("java.class.path", "");
        if (!path.isEmpty()) {
            command.addAll(List.of("--class-path", path));
        }
        if (module.isNamed()) {
            command.addAll(List.of("--enable-native-access=io.reactivenetio.transport",
                    "--module-path", System.getProperty("jdk.module.path", ""),
                    "--module", module.getName() + "/" + main.getName()));
        } else {
            command.addAll(List.of("--enable-native-access=ALL-UNNAMED", main.getName()));
        }
        command.addAll(List.of(arguments));
        return new Worker("the Java program", command);
    }

    String libraryVersion() {
        return libraryVersion;
    }

    void command(String line) {
        try {
            commands.write(line);
            commands.write('\n');
            commands.flush();
        } catch (IOException e) {
            throw new BenchFailedException(name + " has ended: " + e.getMessage(), e);
        }
    }

    /** Waits for the line that begins with {@code word}; what follows it. */
    String answer(String word) {
        try {
            String line = answers.readLine();
            if (line == null || !line.startsWith(word)) {
                throw new BenchFailedException(name + " was to say '" + word + "' and "
                        + (line == null ? "ended" : "said: " + line), null);
            }
            return line.substring(word.length()).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Outcome outcome() {
        return Outcome.parse("result " + answer("result"));
    }

    /** Ends it: by the end of its commands, or by force. */
    @Override
    public void close() {
        try {
            commands.close();
            if (process.waitFor(5, TimeUnit.SECONDS)) {
                return;
            }
        } catch (IOException e) {
            // it has ended already
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}
