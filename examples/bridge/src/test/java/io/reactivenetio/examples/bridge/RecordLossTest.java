// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.transport.BackendType;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** netio record as a process: what it loses, or cannot write, it says, with its logs off and no terminal. */
class RecordLossTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    private DisposableServer server;

    /** A process with what it has written so far on stderr. */
    private record Running(Process process, List<String> errors, CompletableFuture<Void> allErrors,
            CompletableFuture<String> out) {
        void await(String words) {
            Flux.interval(Duration.ofMillis(20)).filter(n -> errors.stream().anyMatch(line -> line.contains(words)))
                    .blockFirst(SOON);
        }

        /** As Ctrl-C. What it has written can still be read. */
        void stop() {
            process.toHandle().destroy();
        }

        /** Of the process, all of whose errors are here by then. */
        int exitCode() throws InterruptedException {
            assertThat(process.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(allErrors).succeedsWithin(SOON);
            return process.exitValue();
        }
    }

    @BeforeEach
    void publish() {
        Flux<TaggedMessage> messages = Flux.interval(Duration.ofMillis(1)).onBackpressureDrop().map(n -> TaggedMessage.of(7,
                StandardCharsets.UTF_8.encode("message " + n + " ".repeat(1_000))));
        server = NetioPublisher.create().publish(Tags.of(7), messages)
                .serve(NetioServer.create().backend(BackendType.TCP)).bindNow();
    }

    @AfterEach
    void stop() {
        server.shutdown(Duration.ofMillis(1)).block(SOON);
    }

    private Running record(String... more) throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "-cp", classPath(),
                BridgeProgram.class.getName(), "record", "--connect", "127.0.0.1:" + server.port(), "--tags", "7", "--dir",
                directory.toString(), "--backend", "tcp"));
        command.addAll(List.of(more));
        Process process = new ProcessBuilder(command).start();
        List<String> errors = new CopyOnWriteArrayList<>();
        CompletableFuture<Void> allErrors = CompletableFuture.runAsync(() -> new BufferedReader(new InputStreamReader(
                process.getErrorStream(), StandardCharsets.UTF_8)).lines().forEach(errors::add));
        return new Running(process, errors, allErrors, CompletableFuture.supplyAsync(() ->
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)).lines()
                        .reduce("", (one, other) -> one + "\n" + other)));
    }

    private static String classPath() {
        return String.join(File.pathSeparator, System.getProperty("java.class.path", ""),
                System.getProperty("jdk.module.path", ""), Path.of("target/classes").toAbsolutePath().toString());
    }

    private Path growing() {
        return Flux.interval(Duration.ofMillis(20)).map(n -> directory.resolve("0000000001.segment"))
                .filter(file -> file.toFile().length() > 50_000).blockFirst(SOON);
    }

    @Test
    void shouldSayThatWhatWasRecordedWasDeleted() throws Exception {
        Running record = record();
        Files.delete(growing());
        record.await("messages are lost that were recorded");
        record.stop();
        assertThat(record.exitCode()).isEqualTo(1);
        assertThat(record.out.join()).containsPattern("lost +[1-9][0-9]*").contains("not written");
        assertThat(record.errors).anyMatch(line -> line.contains("not all that came is recorded"));
    }

    @Test
    void shouldSayThatItWaitsForRoomAndEndSoonAndSumUp() throws Exception {
        Running record = record("--max-size", "200K", "--when-full", "wait");
        record.await("recording waits until there is");
        long begun = System.nanoTime();
        record.stop();
        assertThat(record.exitCode()).isEqualTo(1);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(15));
        assertThat(record.out.join()).containsPattern("messages +[1-9][0-9]*").containsPattern("not written +[1-9][0-9]*");
        assertThat(record.errors).anyMatch(line -> line.contains("were not written"));
    }

    @Test
    void shouldEndAsInterruptedWhenAllThatCameIsWritten() throws Exception {
        Running record = record();
        growing();
        record.stop();
        assertThat(record.exitCode()).isEqualTo(143);
        assertThat(record.errors).isEmpty();
        assertThat(record.out.join()).containsPattern("not written +0");
    }
}
