// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.transport.BackendType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.util.retry.Retry;

/** The commands as users give them, in this process. */
class RecordReplayTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int MESSAGES = 3000;
    private static final long PID = ProcessHandle.current().pid();
    /** An address of this process, whose ports nobody else is given between two uses. */
    private static final String OWN = "127." + (1 + PID / 65_536 % 250) + "." + PID / 256 % 256 + "." + PID % 256;

    @TempDir
    Path directory;

    private record Result(int code, String out, String err) {
    }

    private static Result run(String... args) {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream outs = new ByteArrayOutputStream();
        ByteArrayOutputStream errs = new ByteArrayOutputStream();
        System.setOut(new PrintStream(outs, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(errs, true, StandardCharsets.UTF_8));
        try {
            int code = BridgeProgram.run(args);
            return new Result(code, outs.toString(StandardCharsets.UTF_8), errs.toString(StandardCharsets.UTF_8));
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    }

    @Test
    void shouldRecordAndReplay() throws IOException {
        String dir = directory.resolve("recording").toString();
        Flux<TaggedMessage> messages = Flux.range(0, MESSAGES).map(n -> TaggedMessage.of(7,
                StandardCharsets.UTF_8.encode("message " + n)));
        NetioPublisher publisher = NetioPublisher.create().publish(io.reactivenetio.api.Tags.of(7), messages);
        DisposableServer server = publisher.serve(NetioServer.create().backend(BackendType.TCP)).bindNow();
        Result recorded = run("record", "--connect", "127.0.0.1:" + server.port(), "--tags", "7", "--dir", dir,
                "--backend", "tcp", "--json");
        server.disposeNow(SOON);
        assertThat(recorded.code()).as(recorded.err()).isZero();
        assertThat(recorded.out()).contains("\"messages\":" + MESSAGES);

        Result listed = run("replay", "--dir", dir, "--list");
        assertThat(listed.code()).isZero();
        assertThat(listed.out().lines()).hasSize(2).last().asString().contains("tag 7", " 0 ", " " + (MESSAGES - 1) + " ");

        assertThat(run("replay", "--dir", dir, "--list", "--json").out().strip())
                .startsWith("{\"streams\":[{\"stream\":\"tag 7\"").endsWith("]}")
                .contains("\"first\":0,\"last\":" + (MESSAGES - 1));

        int port = freePort();
        String address = OWN + ":" + port;
        CompletableFuture<Result> replay = CompletableFuture.supplyAsync(() -> run("replay", "--dir", dir, "--listen",
                address, "--speed", "0", "--backend", "tcp", "--json"));
        List<TaggedMessage> again = NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).host(OWN).port(port))
                .reconnect(Retry.fixedDelay(1_000, Duration.ofMillis(50))).subscribe(7).collectList().block(SOON);
        assertThat(again).isEqualTo(messages.collectList().block());
        Result replayed = replay.join();
        assertThat(replayed.code()).as(replayed.err()).isZero();
        assertThat(replayed.out()).contains("\"messages\":" + MESSAGES);
        assertThat(replayed.err()).contains("listening on " + address);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(OWN))) {
            return socket.getLocalPort();
        }
    }

    @Test
    void shouldSayInOneLineWhatIsWrong() throws IOException {
        String dir = directory.toString();
        String nobody = OWN + ":" + freePort();
        assertFails(2, "--dir", "replay", "--list");
        assertFails(2, "--listen or --list", "replay", "--dir", dir);
        assertFails(2, "yesterday", "replay", "--dir", dir, "--list", "--from", "yesterday");
        assertFails(2, "speed", "replay", "--dir", dir, "--listen", nobody, "--speed", "-1");
        assertFails(1, "nowhere", "replay", "--dir", directory.resolve("nowhere").toString(), "--list");
        assertFails(2, "name of the directory is empty", "replay", "--dir", "", "--list");
        assertFails(2, "name of the directory is empty", "record", "--connect", nobody, "--tags", "7", "--dir", "");
        assertFails(2, "longest-pause", "replay", "--dir", dir, "--listen", nobody, "--longest-pause", "1ms");
        assertFails(1, "nothing is recorded", "replay", "--dir", dir, "--listen", nobody);
        assertFails(2, "1X", "record", "--connect", nobody, "--tags", "7", "--dir", dir, "--max-size", "1X");
        assertFails(2, "segmentBytes", "record", "--connect", nobody, "--tags", "7", "--dir", dir, "--segment-size", "1");
        assertFails(2, "soon", "record", "--connect", nobody, "--tags", "7", "--dir", dir, "--fsync", "soon");
        assertFails(1, nobody, "record", "--connect", nobody, "--tags", "7", "--dir", dir, "--backend", "tcp");
    }

    private static void assertFails(int code, String why, String... args) {
        Result result = run(args);
        assertThat(result.code()).as(result.err()).isEqualTo(code);
        assertThat(result.err().lines()).singleElement().asString().startsWith("netio: ").contains(why);
    }
}
