// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Flux;

/** The application in a process of its own, on a free port, as its page sees it. */
final class RunningApplication implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Pattern ADDRESS = Pattern.compile("the page is at (http://\\S+/), Ctrl-C ends it");

    private final Process process;
    private final List<String> output = new ArrayList<>();
    private final CompletableFuture<URI> address = new CompletableFuture<>();
    private final Thread reader;

    private RunningApplication(Process process) {
        this.process = process;
        this.reader = Thread.ofVirtual().start(this::read);
    }

    /** Starts it; {@code arguments} come behind {@code --server.port=0}. */
    static RunningApplication start(String... arguments) {
        // a shell that starts the tests in the background has them ignore SIGINT, and whom they start too
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp", System.getProperty("java.class.path"),
                "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                SpringDetector.class.getName(), "--server.port=0"));
        command.addAll(List.of(arguments));
        try {
            return new RunningApplication(new ProcessBuilder(command).redirectErrorStream(true).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read() {
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                synchronized (output) {
                    output.add(line);
                }
                Matcher found = ADDRESS.matcher(line);
                if (found.matches()) {
                    address.complete(URI.create(found.group(1)));
                }
            }
        } catch (IOException e) {
            // it was killed
        }
        address.completeExceptionally(new AssertionError("it has ended: " + String.join("\n", output())));
    }

    /** Where the page is, once it is there. */
    URI uri() {
        return address.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    /** What it has written so far. */
    List<String> output() {
        synchronized (output) {
            return List.copyOf(output);
        }
    }

    private WebClient client() {
        return WebClient.create(uri().toString());
    }

    Flux<Sample> samples() {
        return client().get().uri("samples").accept(MediaType.TEXT_EVENT_STREAM).retrieve().bodyToFlux(Sample.class);
    }

    Sample sample() {
        return samples().blockFirst(PATIENCE);
    }

    /** Waits for a sample that is like this. */
    Sample await(String what, Predicate<Sample> wanted) {
        Sample[] last = new Sample[1];
        Sample found = samples().doOnNext(sample -> last[0] = sample).filter(wanted).next()
                .timeout(PATIENCE).onErrorComplete(TimeoutException.class).block();
        assertThat(found).as("%s; the last was %s", what, last[0]).isNotNull();
        return found;
    }

    /** How much a count grows per second, in two seconds. */
    double rate(ToLongFunction<Sample> count) {
        Sample first = sample();
        Sample last = await("two seconds", sample -> sample.seconds() >= first.seconds() + 2);
        return (count.applyAsLong(last) - count.applyAsLong(first)) / (last.seconds() - first.seconds());
    }

    /** What a button does. */
    HttpStatusCode post(String path) {
        return client().post().uri(path).exchangeToMono(answer -> answer.releaseBody().thenReturn(answer.statusCode()))
                .block(PATIENCE);
    }

    /** What Ctrl-C does: returns its exit code when it has ended. */
    int interrupt() throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).inheritIO().start().waitFor();
        return end();
    }

    /** Waits until it has ended, and returns its exit code. */
    int end() throws InterruptedException {
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as("ends, and has written %s", output()).isTrue();
        reader.join();
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
