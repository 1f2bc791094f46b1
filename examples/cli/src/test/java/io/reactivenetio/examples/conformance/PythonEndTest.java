// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.testing.AtFullScale;
import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;

/** The end in Python of examples/clients/python, against this library both ways. Skipped where there is no Python 3.11. */
@Timeout(180)
class PythonEndTest {
    private static final Path SOURCES = Path.of("../clients/python").toAbsolutePath().normalize();
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int EVENT = 1;

    @BeforeAll
    static void findPython() throws InterruptedException {
        assumeTrue(Program.runs("python3", "-c", "import asyncio; asyncio.timeout"), "needs Python 3.11: apt install python3");
    }

    private static Program python(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("python3", "-B"));
        command.addAll(List.of(arguments));
        return new Program(SOURCES, command.toArray(String[]::new));
    }

    private static String programOfTheReadme(String text) throws IOException {
        return Pattern.compile("```python\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(SOURCES.resolve("README.md")))
                .results().map(MatchResult::group).map(program -> program.substring("```python\n".length(), program.length() - 3))
                .filter(program -> program.contains(text)).findFirst().orElseThrow();
    }

    private static NetioSubscriber subscriber(int port) {
        return NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).port(port));
    }

    @AtFullScale
    @Test
    void shouldPassItsOwnTests() throws Exception {
        try (Program tests = python("-m", "unittest", "discover", "-s", "tests")) {
            assertThat(tests.ended(0)).containsPattern("Ran [2-9]\\d tests").contains("OK");
        }
    }

    @AtFullScale
    @Test
    void shouldPassTheConformanceKit() throws Exception {
        List<Case> cases = Kit.cases(name -> name.startsWith("requests") || name.startsWith("tags")
                || name.startsWith("connection"));
        List<Outcome> outcomes = new ArrayList<>();
        List<String> command = List.of("env", "PYTHONPATH=" + SOURCES, "python3", "-B", "-m", "reactive_netio.conformance");
        try (Kit kit = new Kit(() -> ProcessEnd.start(command))) {
            kit.run(cases, next -> { }, outcomes::add);
            assertThat(kit.quit()).isEmpty();
        }
        assertThat(outcomes).hasSameSizeAs(cases).noneMatch(outcome -> outcome.result() == Outcome.Result.FAILED)
                .filteredOn(outcome -> outcome.result() == Outcome.Result.PASSED).hasSizeGreaterThan(50);
    }

    @Test
    void shouldReadOutTheDetectorOfTheReadme() throws Exception {
        try (Program detector = python("-c", programOfTheReadme("try_publish"), "0")) {
            List<Long> some = subscriber(detector.port()).subscribe(message -> message.getLong(EVENT), 7L).take(500).collectList()
                    .block(PATIENCE);
            assertThat(some).hasSize(500).isSorted().doesNotHaveDuplicates();
        }
    }

    @Test
    void shouldServeTheAnalysisOfTheReadme() throws Exception {
        NetioPublisher publisher = NetioPublisher.create().publish(7, Flux.range(0, 10_000)
                .map(n -> ByteBuffer.wrap(new byte[] {1, 2, 3})));
        var server = publisher.serve(NetioServer.create().backend(BackendType.TCP)).bindNow();
        try (Program analysis = python("-c", programOfTheReadme("sum(message"), Integer.toString(server.port()))) {
            assertThat(analysis.ended(0)).isEqualTo("10000 messages, sum 60000 dropped 0\n");
        } finally {
            server.dispose();
            publisher.dispose();
        }
    }

    @Test
    void shouldPublishOnTheCommandLine() throws Exception {
        try (Program publish = python("-m", "reactive_netio", "publish", "--listen", "127.0.0.1:0", "--tag", "7", "--count",
                "20000", "--size", "100")) {
            assertThat(subscriber(publish.port()).subscribe(ByteBuffer::remaining, 7L).reduce(0L, Long::sum).block(PATIENCE))
                    .isEqualTo(2_000_000);
            assertThat(publish.ended(0)).containsPattern("messages +20,000\n").containsPattern("bytes +2,000,000\n");
        }
    }

    @Test
    void shouldSayWhatIsWrongWithACommandLine() throws Exception {
        try (Program wrong = python("-m", "reactive_netio", "subscribe", "127.0.0.1:1", "--tag", "9-7");
                Program nobody = python("-m", "reactive_netio", "subscribe", "127.0.0.1:1", "--tag", "7")) {
            assertThat(wrong.ended(2)).contains("a tag is 7, 0-7 for a range", "'9-7'");
            assertThat(nobody.ended(1)).startsWith("reactive_netio: ").doesNotContain("Traceback");
        }
    }
}
