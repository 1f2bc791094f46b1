// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.examples.cli.Patience;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;

/** The detector's process: started with this one's Java, ended with this one, and listened to. */
final class DetectorProcess implements AutoCloseable {
    private static final int SIGNALLED = 128;

    /** What lets a JVM with this class path start sooner. */
    private static final List<String> ARCHIVES = List.of("-XX:SharedArchiveFile=", "-XX:AOTCache=");

    private final Process process;
    private final CompletableFuture<InetSocketAddress> address = new CompletableFuture<>();
    private final CompletableFuture<Void> output;
    private final CompletableFuture<Void> errors;
    private final List<LinkTally> tallies = new CopyOnWriteArrayList<>();
    private volatile DetectorStatus status = DetectorStatus.none();
    private volatile String lastError = "";

    DetectorProcess(DetectorSettings settings, String host) {
        List<String> command = new ArrayList<>(java());
        command.addAll(settings.arguments());
        command.addAll(List.of("--host", host));
        try {
            process = new ProcessBuilder(command).redirectInput(Redirect.PIPE).start();
        } catch (IOException e) {
            throw new DetectorFailedException("the detector cannot be started: " + e.getMessage());
        }
        output = read(process.getInputStream(), this::heard);
        errors = read(process.getErrorStream(), line -> lastError = line);
    }

    /** How to start a Java program of this class path or module path. */
    private static List<String> java() {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command()
                .orElse(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java"));
        command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")); // to be up to speed soon
        command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=error"); // the last line it prints says why it failed
        command.add(Patience.option());
        for (String argument : ProcessHandle.current().info().arguments().orElse(new String[0])) {
            boolean archive = ARCHIVES.stream().anyMatch(option -> argument.startsWith(option)
                    && Files.exists(Path.of(argument.substring(option.length()))));
            if (archive || argument.startsWith("-Xlog:")) {
                command.add(argument);
            }
        }
        String main = DetectorCommand.class.getName();
        Module module = DetectorCommand.class.getModule();
        String path = System.getProperty("java.class.path", "");
        if (!path.isEmpty()) {
            command.addAll(List.of("--class-path", path));
        }
        if (module.isNamed()) {
            command.addAll(List.of("--enable-native-access=io.reactivenetio.transport",
                    "--module-path", System.getProperty("jdk.module.path", ""), "--module", module.getName() + "/" + main));
        } else {
            command.addAll(List.of("--enable-native-access=ALL-UNNAMED", main));
        }
        return command;
    }

    private static CompletableFuture<Void> read(InputStream stream, Consumer<String> consumer) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("detector-output").start(() -> {
            try (BufferedReader reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                reader.lines().forEach(consumer);
                end.complete(null);
            } catch (IOException | RuntimeException e) {
                end.completeExceptionally(e);
            }
        });
        return end;
    }

    private void heard(String line) {
        if (line.startsWith(DetectorCommand.LISTENS)) {
            String[] words = line.substring(DetectorCommand.LISTENS.length()).split(" ", 2);
            address.complete(new InetSocketAddress(words[1], Integer.parseInt(words[0])));
        } else if (DetectorStatus.is(line)) {
            status = DetectorStatus.parse(line);
        } else if (LinkTally.is(line)) {
            tallies.add(LinkTally.parse(line));
        }
    }

    /** Where it listens, once it does. If it ends first, {@link #finished} says why. */
    Mono<InetSocketAddress> address() {
        return Mono.fromFuture(address, true);
    }

    /** It may end: everything has arrived. */
    void dismiss() {
        try (Writer toIt = process.outputWriter(StandardCharsets.US_ASCII)) {
            toIt.write(DetectorCommand.DONE + System.lineSeparator());
        } catch (IOException e) {
            // it has ended already, and finished() says how
        }
    }

    DetectorStatus status() {
        return status;
    }

    /** What its links have done, complete when {@link #finished} is. */
    List<LinkTally> tallies() {
        return List.copyOf(tallies);
    }

    /** Completes when the detector has ended well and said all it had to say; an error says how it ended otherwise. */
    Mono<Void> finished() {
        return Mono.fromFuture(CompletableFuture.allOf(output, errors).handle((ok, error) -> null)
                        .thenCombine(process.onExit(), (ok, ended) -> ended.exitValue()), true)
                .flatMap(code -> code == 0 ? Mono.empty() : Mono.error(new DetectorFailedException(describe(code))));
    }

    private String describe(int code) {
        String how = code > SIGNALLED ? "was killed by signal " + (code - SIGNALLED) : "ended with exit code " + code;
        return "the detector " + how + " after " + status.millis() / 1000.0 + " s"
                + (lastError.isEmpty() ? "" : ": " + lastError);
    }

    /** Ends it, if it has not ended. */
    @Override
    public void close() {
        process.destroy();
    }

    /** The detector did not end as it should. */
    static final class DetectorFailedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        DetectorFailedException(String message) {
            super(message);
        }
    }
}
