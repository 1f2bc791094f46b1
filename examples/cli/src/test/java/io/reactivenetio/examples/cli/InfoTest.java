// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.loop.LoopMechanism;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.backend.NativeLibrary;
import io.reactivenetio.transport.backend.NetworkBackend;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What netio info shows. */
@Timeout(180)
class InfoTest {

    @Test
    void shouldShowProvidersAndLimits() {
        try (NetioCall info = NetioCall.start("info")) {
            info.expectSuccess();
            assertThat(info.out()).contains("libfabric", "tcp", "lo", "127.0.0.1", "RDMA devices", "locked memory", "open files",
                    "kernel", "io_uring", "JDK").doesNotContain("sockets");
            assertThat(info.err()).isEmpty();
        }
    }

    @Test
    void shouldPrintOneJsonObject() {
        try (NetioCall info = NetioCall.start("info", "--json")) {
            info.expectSuccess();
            assertThat(info.out()).matches("\\{\"libfabric\":\\{\"version\":\"[0-9][^\"]+\",\"path\":\"/[^\"]+\","
                    + "\"tested\":(true|false),\"problem\":null},.*}}\n")
                    .contains("\"name\":\"tcp\"", "\"rdmaDevices\":", "\"lockedMemory\":", "\"ioUring\":", "\"jdk\":");
            assertThat(info.err()).isEmpty();
        }
    }

    @Test
    void shouldTellTheVersionTheFileAndWhetherItIsTested() {
        NativeLibrary library = NetworkBackend.provider(BackendType.LIBFABRIC).library();
        try (NetioCall info = NetioCall.start("info")) {
            info.expectSuccess();
            assertThat(info.out()).contains(library.version() + (library.tested() ? ", a tested version\n"
                    : ", not a tested version: those are 1.")).contains("\n               " + library.path() + "\n")
                    .containsPattern(" tcp [0-9]+\\.[0-9]+ ");
        }
    }

    @Test
    void shouldSayOfAVersionThatIsNotTestedWhichOnesAre() {
        NativeLibrary library = new NativeLibrary("9.0.0", "/opt/libfabric.so.1", false, List.of("1.17.0", "2.6.0"));

        assertThat(new FabricFacts(library, null, Map.of()).lines())
                .containsExactly("9.0.0, not a tested version: those are 1.17.0, 2.6.0", "/opt/libfabric.so.1");
    }

    @Test
    void shouldShowTheRestWithoutLibfabric() {
        Map<String, String> environment = Map.of("NETIO_LIBFABRIC", "/nonexistent/libfabric.so.1");
        try (NetioProcess info = NetioProcess.start(List.of(), environment, "info");
                NetioProcess json = NetioProcess.start(List.of(), environment, "info", "--json")) {
            assertThat(info.exitCode()).isEqualTo(1);
            assertThat(info.out()).contains("libfabric not found", "apt install libfabric1", "locked memory", "JDK");
            assertThat(info.err()).isEmpty();
            assertThat(json.exitCode()).isEqualTo(1);
            assertThat(json.out()).contains("\"version\":null,\"path\":null,\"tested\":null,\"problem\":\"libfabric not found")
                    .hasLineCount(1);
        }
    }

    @Test
    void shouldSayWhatLoopsSayOfIoUring() {
        assertThat(KernelFacts.collect().ioUring())
                .isEqualTo(LoopMechanism.IO_URING.unavailability().orElse("available"));
    }
}
