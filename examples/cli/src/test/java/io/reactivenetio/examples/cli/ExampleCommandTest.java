// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.examples.ladder.Ladder;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An example over each backend as a process of its own; what each of them prints is the ladder's own test. */
@Timeout(180)
class ExampleCommandTest {

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "libfabric"})
    void shouldRunOneToItsEnd(String backend) {
        try (NetioProcess netio = NetioProcess.start("example", "hello", "--backend", backend)) {
            netio.expectSuccess();
            assertThat(netio.out().lines()).hasSize(10).startsWith("event 1").endsWith("event 10");
            assertThat(netio.err()).isEmpty();
        }
    }

    @Test
    void shouldListThemWithALineEach() {
        try (NetioCall netio = NetioCall.start("example")) {
            netio.expectSuccess();
            List<String> lines = netio.out().lines().toList();
            assertThat(lines).hasSameSizeAs(Ladder.all()).first().asString().matches("hello +ten messages.*");
            assertThat(lines).allMatch(line -> line.length() < 80);
        }
    }

    @Test
    void shouldSayWhichThereAre() {
        expectRefusal("there is no example helo; there are hello, echo, ", "example", "helo");
        expectRefusal("--backend udp is not available; there are tcp and libfabric", "example", "hello", "--backend", "udp");
        expectRefusal("no such command or option here: echo", "example", "hello", "echo");
    }

    private static void expectRefusal(String text, String... args) {
        try (NetioCall netio = NetioCall.start(args)) {
            assertThat(netio.exitCode()).isEqualTo(2);
            assertThat(netio.out()).isEmpty();
            assertThat(netio.problems()).singleElement().asString().startsWith("netio: ").contains(text);
        }
    }
}
