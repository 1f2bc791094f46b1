// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.testing.AtFullScale;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

/** Applications in processes of their own: what they print when they start, do not start, and end. */
@Timeout(600)
class ApplicationTest {
    private static final List<String> ENABLED = List.of("--enable-native-access=ALL-UNNAMED");

    @AfterEach
    void endWhatIsLeft() throws IOException {
        SampleProcess.endAll();
    }

    @Test
    void shouldStayWhileItListensAndEndWhenToldTo() throws Exception {
        SampleProcess server = SampleProcess.start(ENABLED, "netio.backend=tcp", "netio.server.port=0", "sample.publish=true");
        server.await("netio.server listens on /127.0.0.1:");
        String port = server.output().replaceFirst("(?s).*listens on /127.0.0.1:(\\d+).*", "$1");
        SampleProcess reader = SampleProcess.start(ENABLED, "netio.backend=tcp", "netio.clients.detector.port=" + port,
                "sample.read=detector");
        assertThat(reader.ended(0)).contains("got event 0").doesNotContain("WARNING");
        assertThat(server.isAlive()).isTrue();
        server.terminate();
        assertThat(withoutSlowTurns(server.ended(143))).doesNotContain("WARN", "Exception");
    }

    /** Without the lines that say of a loop that it waited, for classes to be loaded or a processor. */
    private static String withoutSlowTurns(String output) {
        return output.replaceAll("(?m)^.* WARN io\\.reactivenetio\\.loop\\..*$", "");
    }

    @AtFullScale
    @Test
    void shouldEndByItselfIfNobodyWaitsForAnything() throws Exception {
        String output = SampleProcess.start(ENABLED, "netio.backend=tcp", "netio.clients.a.port=7000").ended(0);
        assertThat(withoutSlowTurns(output)).contains("Started").doesNotContain("WARN");
    }

    @AtFullScale
    @Test
    void shouldSayThatThereIsNothingToServe() throws Exception {
        SampleProcess server = SampleProcess.start(ENABLED, "netio.backend=tcp", "netio.server.port=0");
        server.await("netio.server listens on");
        server.terminate();
        assertThat(server.ended(143)).contains("netio.server has nothing to do for those who connect");
    }

    @AtFullScale
    @Test
    void shouldSayHowToGetLibfabric() throws Exception {
        String which = TestSettings.FULL ? "netio.clients.a.port=7000" : "netio.server.port=0";
        List<String> options = List.of("--enable-native-access=ALL-UNNAMED", "-Dnetio.libfabric=/no/libfabric.so");
        assertThat(SampleProcess.start(options, which, "netio.backend=libfabric").ended(1)).contains(
                "APPLICATION FAILED TO START", "Libfabric not found (tried /no/libfabric.so", "apt install libfabric1",
                "netio.backend=tcp");
    }

    @Test
    void shouldSayHowToEnableNativeAccess() throws Exception {
        List<String> denied = List.of("--illegal-native-access=deny");
        assertThat(SampleProcess.start(denied, "netio.backend=tcp", "netio.server.port=0").ended(1)).contains(
                "APPLICATION FAILED TO START", "The JVM denies native access to reactive-netio",
                "Enable-Native-Access: ALL-UNNAMED", "JAVA_TOOL_OPTIONS");
        assertThat(SampleProcess.start(List.of("--illegal-native-access=allow"), "netio.backend=tcp",
                "netio.clients.a.port=7000").ended(0)).contains("native access is not enabled, which later JDKs deny");
    }

    @AtFullScale
    @Test
    void shouldSayThatFramingsDiffer() throws Exception {
        DisposableServer raw = NetioServer.create().backend(BackendType.TCP).framing(Framing.raw())
                .handle((in, out) -> out.send(Mono.just(java.nio.ByteBuffer.allocate(100)))).bindNow();
        try {
            assertThat(SampleProcess.start(ENABLED, "netio.backend=tcp", "netio.clients.a.port=" + raw.port(),
                    "sample.connect=true").ended(1)).contains("APPLICATION FAILED TO START", "framing",
                            "netio.clients.<name>.framing");
        } finally {
            raw.dispose();
        }
    }

    @AtFullScale
    @Test
    void shouldSayWhichClientsThereAre() throws Exception {
        assertThat(SampleProcess.start(ENABLED, "netio.backend=tcp", "netio.clients.detector.port=7000",
                "netio.clients.slow-control.port=7001", "sample.misspell=true").ended(1)).contains("APPLICATION FAILED TO START",
                        "No client 'detektor'", "Configure the client with netio.clients.detektor.host",
                        "or name one of: detector, slow-control");
    }
}
