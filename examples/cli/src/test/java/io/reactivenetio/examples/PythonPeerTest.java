// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioCodec;
import io.reactivenetio.NetioServer;
import io.reactivenetio.Tls;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.NetioAuthenticator;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioRequester;
import io.reactivenetio.testing.AtFullScale;
import io.reactivenetio.testing.TestCertificates;
import io.reactivenetio.transport.BackendType;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

/** The detector in Python that docs/guide.md shows. */
@Timeout(180)
class PythonPeerTest {
    record Hit(long time, int channel, short charge) {
    }

    private static boolean hasPython() throws InterruptedException {
        try {
            return new ProcessBuilder("python3", "-c", "import socket, struct").start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void shouldLetInAnEndInPythonThatKnowsTheSecret() throws Exception {
        assumeTrue(hasPython(), "there is no python3");
        DisposableServer server = NetioServer.create().backend(BackendType.TCP)
                .authenticate(NetioAuthenticator.secrets(Map.of("reader", new byte[32])))
                .doOnConnection(connection -> connection.respond(9, request -> Mono.just(ByteBuffer.wrap(
                        String.valueOf(connection.principal()).getBytes(StandardCharsets.UTF_8)))).subscribe())
                .bindNow();
        try {
            Process asking = python("""
                    import asyncio, sys
                    from reactive_netio import Netio, Settings
                    async def main():
                        netio = Netio()
                        for secret in b"x" * 32, bytes(32):
                            try:
                                connection = await netio.connect("127.0.0.1", int(sys.argv[1]),
                                                                 Settings(credentials=("reader", secret)))
                                print(bytes(await connection.requester(9).request(b"who?", timeout=60)).decode())
                            except Exception as e:
                                print(e)
                        netio.close()
                    asyncio.run(main())
                    """, Integer.toString(server.port()));
            assertThat(new String(asking.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines())
                    .satisfiesExactly(refused -> assertThat(refused).contains("not authenticated"),
                            answer -> assertThat(answer).isEqualTo("reader"));
            assertThat(asking.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            server.disposeNow(Duration.ofSeconds(30));
        }
    }

    /** So much that the Java side renews its keys, see {@link TestCertificates}. */
    @Test
    void shouldSpeakTlsWithAnEndInPythonThatConnects() throws Exception {
        assumeTrue(hasPython(), "there is no python3");
        TestCertificates own = TestCertificates.local();
        DisposableServer server = NetioServer.create().backend(BackendType.TCP)
                .secure(Tls.create().certificate(own.certificate(), own.key()))
                .authenticate(NetioAuthenticator.secrets(Map.of("reader", new byte[32])))
                .doOnConnection(connection -> connection.respond(9, Mono::just).subscribe()).bindNow();
        try {
            Process asking = python("""
                    import asyncio, ssl, sys
                    from reactive_netio import Netio, Settings
                    async def main():
                        netio = Netio()
                        trusting = ssl.create_default_context(cafile=sys.argv[2])
                        known = ("reader", bytes(32))
                        for settings in (Settings(tls=trusting, tls_name="other.example.org", credentials=known),
                                         Settings(), Settings(tls=trusting, credentials=known)):
                            try:
                                connection = await netio.connect("127.0.0.1", int(sys.argv[1]), settings)
                                requester = connection.requester(9)
                                for n in range(150):
                                    request = bytes([n]) * (1 + n * 1000)
                                    assert bytes(await requester.request(request, timeout=60)) == request
                                print("all")
                            except ConnectionError as e:
                                print(e)
                        netio.close()
                    asyncio.run(main())
                    """, Integer.toString(server.port()), own.certificate().toString());
            assertThat(new String(asking.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines()).satisfiesExactly(
                    wrongName -> assertThat(wrongName).contains("CERTIFICATE_VERIFY_FAILED"),
                    without -> assertThat(without).contains("one side only has TLS"),
                    with -> assertThat(with).isEqualTo("all"));
            assertThat(asking.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            server.disposeNow(Duration.ofSeconds(30));
        }
    }

    @AtFullScale
    @Test
    void shouldSpeakTlsWithAnEndInPythonThatListens() throws Exception {
        assumeTrue(hasPython(), "there is no python3");
        TestCertificates own = TestCertificates.local();
        Process listening = python("""
                import asyncio, ssl, sys
                from reactive_netio import Netio, Settings
                async def main():
                    netio = Netio()
                    own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                    own.load_cert_chain(sys.argv[1], sys.argv[2])
                    async def echo(request):
                        return bytes(request.payload)
                    print(await netio.listen("127.0.0.1", 0, Settings(tls=own), lambda made: made.respond(9, echo)), flush=True)
                    await asyncio.to_thread(sys.stdin.read)
                    netio.close()
                asyncio.run(main())
                """, own.certificate().toString(), own.key().toString());
        try (BufferedReader said = listening.inputReader()) {
            NetioClient client = NetioClient.create().backend(BackendType.TCP).port(Integer.parseInt(said.readLine()));
            assertThatThrownBy(() -> client.connectNow(PATIENCE)).hasMessageContaining("the peer has TLS");
            assertThatThrownBy(() -> client.secure(Tls.create()).connectNow(PATIENCE)).hasMessageContaining("PKIX");
            NetioConnection connection = client.secure(Tls.create().trust(own.certificate())).connectNow(PATIENCE);
            NetioRequester requester = connection.requester(9);
            for (int n = 1; n < 150; n++) {
                ByteBuffer request = ByteBuffer.wrap(new byte[n * 1000]).putInt(0, n);
                assertThat(requester.request(request.duplicate()).block(PATIENCE)).isEqualTo(request);
            }
            connection.disposeNow(PATIENCE);
        } finally {
            listening.getOutputStream().close();
            assertThat(listening.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static Process python(String program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("python3", "-c", program));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).directory(Path.of("../clients/python").toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    @Test
    void shouldReceiveWhatAProgramInPythonSends() throws Exception {
        assumeTrue(hasPython(), "there is no python3");
        Matcher program = Pattern.compile("```python\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("../../docs/guide.md")));
        assertThat(program.find()).isTrue();
        CompletableFuture<List<Hit>> received = new CompletableFuture<>();
        DisposableServer server = NetioServer.create().backend(BackendType.TCP)
                .framing(Framing.raw().endSignal(EndSignal.EMPTY_MESSAGE))
                .handle((in, out) -> in.receive(NetioCodec.ofRecord(Hit.class)).collectList()
                        .doOnSuccess(received::complete).doOnError(received::completeExceptionally).then())
                .bindNow();
        try {
            Process detector = new ProcessBuilder("python3", "-c",
                    program.group(1).replace("7000", Integer.toString(server.port()))).inheritIO().start();
            List<Hit> hits = received.get(120, TimeUnit.SECONDS);
            assertThat(hits).hasSize(1000);
            assertThat(hits.get(999)).extracting(Hit::channel, Hit::charge).containsExactly(999 % 16, (short) 100);
            assertThat(detector.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(detector.exitValue()).isZero();
        } finally {
            server.disposeNow(Duration.ofSeconds(30));
        }
    }
}
