// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.Tls;
import io.reactivenetio.api.AccessRule;
import io.reactivenetio.api.NetioAuthenticator;
import io.reactivenetio.api.NetioAuthorizer;
import io.reactivenetio.api.Right;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.testing.AtFullScale;
import io.reactivenetio.testing.TestCertificates;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The end in C of examples/clients/c, against this library both ways. Skipped where there is no gcc. */
@Timeout(180)
class CEndTest {
    private static final Path SOURCES = Path.of("../clients/c").toAbsolutePath().normalize();
    private static final List<String> WARNINGS = List.of("-Wall", "-Wextra", "-Werror", "-Wpedantic", "-Wconversion");
    private static final List<String> SANITIZE = List.of("-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all");
    /** Whether there are headers of libfabric, as from libfabric-dev. */
    private static final boolean FABRIC = Files.exists(Path.of("/usr/include/rdma/fabric.h"));
    /** What fuzzing this library's decoders has found. */
    private static final String JAVA_CORPUS = Path.of(
            "../../reactive-netio/core/src/test/resources/io/reactivenetio/wire/WireFuzzTestInputs").toAbsolutePath().toString();
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String HANDSHAKE = "4e494fff010102010100000000000000" + "00f000001c000430" + "00000004e8030000"
            + "0000000800000000" + "88130000a8f2b477";

    @TempDir
    private static Path directory;

    private static Program start(String... command) throws IOException {
        return new Program(directory, command);
    }

    private static void compile(String compiler, String standard, String program, List<String> options, Path... sources)
            throws Exception {
        List<String> command = new ArrayList<>(List.of(compiler, "-std=" + standard, "-I", SOURCES.toString(), "-o",
                path(program)));
        command.addAll(options);
        for (Path source : sources) {
            command.add(SOURCES.resolve(source).toString());
        }
        try (Program gcc = start(command.toArray(String[]::new))) {
            assertThat(gcc.ended(0)).isEmpty();
        }
    }

    private static String path(String program) {
        return directory.resolve(program).toString();
    }

    private static List<String> both(List<String> one, List<String> other) {
        List<String> all = new ArrayList<>(one);
        all.addAll(other);
        return all;
    }

    private static Path source(String name) {
        return Path.of(name);
    }

    @BeforeAll
    static void compile() throws Exception {
        assumeTrue(Program.runs("gcc", "--version"), "needs a C compiler: apt install gcc libc6-dev");
        List<String> plain = both(WARNINGS, List.of("-O2"));
        compile("gcc", "c11", "netio.o", both(plain, List.of("-c")), source("netio.c"));
        for (String program : List.of("detector", "print")) {
            compile("gcc", "c11", program, plain, source(program + ".c"), directory.resolve("netio.o"));
        }
    }

    private static NetioSubscriber subscriber(int port) {
        return NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).port(port));
    }

    private static long number(ByteBuffer message) {
        return message.order(ByteOrder.LITTLE_ENDIAN).getLong(message.position());
    }

    @Test
    void shouldSayWhatTheVectorsMeanAndSurviveMutatedPages() throws Exception {
        compile("gcc", "c11", "vectors", both(WARNINGS, SANITIZE), source("vectors.c"));
        compile("gcc", "c11", "fuzz", both(WARNINGS, SANITIZE), source("fuzz.c"));
        try (Program vectors = start(path("vectors"), Path.of("../../docs/wire-vectors.txt").toAbsolutePath().toString());
                Program fuzz = start(path("fuzz"), Integer.toString(TestSettings.scaled(100_000)), "1", JAVA_CORPUS)) {
            assertThat(vectors.ended(0)).contains(" 0 failures");
            assertThat(fuzz.ended(0)).contains(TestSettings.scaled(100_000) + " pages");
        }
    }

    @AtFullScale
    @Test
    void shouldPassTheConformanceKit() throws Exception {
        List<String> optimised = both(WARNINGS, List.of("-O2"));
        compile("gcc", "c11", "conformance", FABRIC ? both(optimised, List.of("-DNETIO_LIBFABRIC")) : optimised,
                source("conformance.c"), source("netio.c"));
        List<Case> cases = Kit.cases(name -> !name.contains("64 MiB") && (name.startsWith("requests") || name.startsWith("tags")
                || name.startsWith("connection") || name.startsWith("hostile") || name.contains("sizes")
                || name.contains("cancel") || name.contains("demand is exact") || FABRIC && name.startsWith("libfabric"))
                && (FABRIC || !name.startsWith("libfabric")));
        List<Outcome> outcomes = new ArrayList<>();
        try (Kit kit = new Kit(() -> ProcessEnd.start(List.of(path("conformance"))))) {
            kit.run(cases, next -> { }, outcomes::add);
            assertThat(kit.quit()).isEmpty();
        }
        assertThat(outcomes).hasSameSizeAs(cases).allMatch(outcome -> outcome.result() == Outcome.Result.PASSED);
    }

    @Test
    void shouldServeASubscriberInJava() throws Exception {
        try (Program detector = start(path("detector"), "0", "7", "100000", "64")) {
            List<Long> all = subscriber(detector.port()).subscribe(CEndTest::number, 7L).collectList().block(PATIENCE);
            assertThat(all).hasSize(100_000).isSorted().startsWith(0L).endsWith(99_999L);
            assertThat(detector.ended(0)).contains("published 100000, dropped 0");
        }
    }

    @Test
    void shouldServeFromCpp() throws Exception {
        assumeTrue(Program.runs("g++", "--version"), "needs a C++ compiler: apt install g++");
        compile("g++", "c++17", "detector-cpp", both(WARNINGS, List.of("-O1")), source("detector.cpp"),
                directory.resolve("netio.o"));
        try (Program detector = start(path("detector-cpp"), "0", "7", "1000")) {
            assertThat(subscriber(detector.port()).subscribe(CEndTest::number, 7L).count().block(PATIENCE)).isEqualTo(1000);
        }
    }

    @Test
    void shouldNeitherBlockNorMiscountWithASlowSubscriberInJava() throws Exception {
        int messages = 200_000;
        try (Program detector = start(path("detector"), "0", "7", Integer.toString(messages), "64", "oldest")) {
            NetioSubscriber slow = subscriber(detector.port());
            long got = slow.subscribe(CEndTest::number, 7L)
                    .concatMap(n -> n < 10 ? Mono.delay(Duration.ofMillis(30)).thenReturn(n) : Mono.just(n), 1)
                    .count().blockOptional(PATIENCE).orElseThrow();
            long dropped = slow.statistics().dropped();
            assertThat(got + dropped).isEqualTo(messages);
            assertThat(detector.ended(0)).contains("published " + messages + ", dropped " + dropped + ", waited 0 times");
        }
    }

    @Test
    void shouldOutliveASubscriberThatDisappears() throws Exception {
        try (Program detector = start(path("detector"), "0", "7", "50000", "64")) {
            int port = detector.port();
            try (Socket killed = new Socket(InetAddress.getLoopbackAddress(), port)) { // as of a killed process
                killed.getOutputStream().write(HexFormat.of().parseHex(HANDSHAKE + "2c000000" + "00000000"
                        + "180000c101000000000000000700000000000000" + "0000000000000000"
                        + "0c0000c2010000000500000000000000"));
                assertThat(killed.getInputStream().readNBytes(48 + 4 + 30)).hasSize(48 + 4 + 30);
                killed.setSoLinger(true, 0);
            }
            assertThat(subscriber(port).subscribe(CEndTest::number, 7L).count().block(PATIENCE)).isGreaterThan(0);
            assertThat(detector.ended(0)).contains("closed: -1", "published 50000, dropped 0");
        }
    }

    @Test
    void shouldSubscribeToAPublisherInJava() throws Exception {
        NetioPublisher publisher = NetioPublisher.create().publish(7, Flux.range(0, 100_000).map(n -> ByteBuffer.allocate(64)));
        var server = publisher.serve(NetioServer.create().backend(BackendType.TCP)).bindNow();
        String port = Integer.toString(server.port());
        try (Program print = start(path("print"), "127.0.0.1", port, "7", "999999999", "quiet")) {
            assertThat(print.ended(0)).isEqualTo("100000 messages, 6400000 bytes, 0 dropped, end 0 \n");
        } finally {
            server.dispose();
            publisher.dispose();
        }
    }

    @Test
    void shouldProveItsSecretToAServerInJava() throws Exception {
        byte[] secret = new byte[100]; // longer than a block of the hash
        NetioPublisher publisher = NetioPublisher.create().publish(Tags.range(7, 8), Flux.range(0, 1_000)
                .map(n -> new TaggedMessage(7, 0, ByteBuffer.allocate(64))));
        var server = publisher.serve(NetioServer.create().backend(BackendType.TCP)
                .authenticate(NetioAuthenticator.secrets(Map.of("reader", secret)))
                .authorize(NetioAuthorizer.of(List.of(new AccessRule("reader", Tags.of(7), Set.of(Right.SUBSCRIBE))))))
                .bindNow();
        Path right = Files.write(directory.resolve("right"), secret);
        Path wrong = Files.write(directory.resolve("wrong"), new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
        String port = Integer.toString(server.port());
        try (Program in = start(path("print"), "--secret", "reader=" + right, "127.0.0.1", port, "7", "999999999", "quiet")) {
            assertThat(in.ended(0)).isEqualTo("1000 messages, 64000 bytes, 0 dropped, end 0 \n");
        }
        try (Program forbidden = start(path("print"), "--secret", "reader=" + right, "127.0.0.1", port, "8");
                Program out = start(path("print"), "--secret", "reader=" + wrong, "127.0.0.1", port, "7");
                Program silent = start(path("print"), "127.0.0.1", port, "7")) {
            assertThat(forbidden.ended(1)).contains("0 messages", "end 8 no right to SUBSCRIBE tag 8");
            assertThat(out.ended(1)).contains("closed: -1 the other side does not accept who this one is");
            assertThat(silent.ended(1)).contains("closed: -1 one side only wants to know who connects");
        } finally {
            server.dispose();
            publisher.dispose();
        }
    }

    /** So much that the Java side renews its keys, see {@link TestCertificates}. */
    @Test
    void shouldSpeakTlsInBothDirections() throws Exception {
        assumeTrue(Files.exists(Path.of("/usr/include/openssl/ssl.h")), "needs OpenSSL's headers: apt install libssl-dev");
        List<String> secured = both(WARNINGS, List.of("-O2", "-DNETIO_TLS"));
        compile("gcc", "c11", "tls-netio.o", both(secured, List.of("-c")), source("netio.c"));
        for (String program : List.of("detector", "print")) {
            compile("gcc", "c11", "tls-" + program, both(secured, List.of("-Wl,--no-as-needed", "-lssl", "-lcrypto")),
                    source(program + ".c"), directory.resolve("tls-netio.o"));
        }
        TestCertificates own = TestCertificates.local();
        String certificate = own.certificate().toString();
        try (Program detector = start(path("tls-detector"), "--tls", certificate, own.key().toString(), "0", "7", "100000",
                "64")) {
            NetioSubscriber trusting = NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).port(detector.port())
                    .secure(Tls.create().trust(own.certificate())));
            assertThat(trusting.subscribe(CEndTest::number, 7L).collectList().block(PATIENCE)).hasSize(100_000).isSorted();
            assertThat(detector.ended(0)).contains("published 100000, dropped 0");
        }
        byte[] secret = new byte[16];
        NetioPublisher publisher = NetioPublisher.create().publish(7, Flux.range(0, 100_000).map(n -> ByteBuffer.allocate(64)));
        var server = publisher.serve(NetioServer.create().backend(BackendType.TCP)
                .secure(Tls.create().certificate(own.certificate(), own.key()))
                .authenticate(NetioAuthenticator.secrets(Map.of("reader", secret)))).bindNow();
        String shown = "reader=" + Files.write(directory.resolve("secret"), secret);
        String port = Integer.toString(server.port());
        String other = TestCertificates.of("other", TestCertificates.LOCAL).certificate().toString();
        try (Program in = start(path("tls-print"), "--tls-trust", certificate, "--secret", shown, "127.0.0.1", port, "7",
                "999999999", "quiet")) {
            assertThat(in.ended(0)).isEqualTo("100000 messages, 6400000 bytes, 0 dropped, end 0 \n");
        }
        try (Program distrusting = start(path("tls-print"), "--tls-trust", other, "--secret", shown, "127.0.0.1", port, "7");
                Program open = start(path("tls-print"), "--secret", shown, "127.0.0.1", port, "7")) {
            assertThat(distrusting.ended(1)).contains("closed: -1 self-signed certificate");
            assertThat(open.ended(1)).contains("closed: -1 one side only has TLS");
        } finally {
            server.dispose();
            publisher.dispose();
        }
    }

    @Test
    void shouldRunTheProgramOfTheReadme() throws Exception {
        Matcher program = Pattern.compile("```c\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(SOURCES.resolve("README.md")));
        assertThat(program.find()).isTrue();
        Files.writeString(directory.resolve("readme.c"), program.group(1));
        compile("gcc", "gnu11", "readme", List.of("-O2", "-Wall", "-Wextra", "-Werror"), directory.resolve("readme.c"),
                directory.resolve("netio.o"));
        try (Program detector = start(path("readme"), "0")) {
            List<Long> some = subscriber(detector.port()).subscribe(message -> message.getLong(1), 7L).take(1000)
                    .collectList().block(PATIENCE);
            assertThat(some).hasSize(1000).isSorted().doesNotHaveDuplicates();
        }
    }
}
