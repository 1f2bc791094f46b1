// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code netio conformance} prints, and how it ends. */
@Timeout(180)
class ConformanceCommandTest {
    private static final String HELLO = "read l; echo 'ok name=mine framings=stream roles=listen,send'; read l; echo ok; ";

    private static NetioCall run(String only, String script, String... more) {
        String[] arguments = new String[more.length + 7];
        System.arraycopy(more, 0, arguments, 1, more.length);
        String[] rest = {"--only", only, "--", "sh", "-c", script};
        arguments[0] = "conformance";
        System.arraycopy(rest, 0, arguments, more.length + 1, rest.length);
        return NetioCall.start(arguments);
    }

    @Test
    void shouldFailAndSayWhy() {
        try (NetioCall call = run("stream listening, sending: complete", HELLO + "read l; exit 4")) {
            assertThat(call.exitCode(PATIENCE)).isEqualTo(1);
            assertThat(call.out()).contains("FAILED", "the end has ended with code 4")
                    .endsWith("mine: 0 passed, 1 failed, 1 not offered\n");
            assertThat(call.err()).contains("FAILED stream listening, sending: complete");
        }
    }

    @Test
    void shouldListWhatIsNotOfferedAndPrintJson() {
        try (NetioCall call = run("requests", HELLO + "exit 0", "--json")) {
            assertThat(call.exitCode(PATIENCE)).isZero();
            assertThat(call.out()).startsWith("{\"end\":\"mine\",\"passed\":0,\"failed\":0,\"notOffered\":52,")
                    .contains("{\"name\":\"requests listening, requesting: large\",\"result\":\"not offered\",");
        }
    }

    @Test
    void shouldRefuseWhatMakesNoSense() {
        try (NetioCall none = NetioCall.start("conformance", "--only", "no such case", "--", "true");
                NetioCall missing = NetioCall.start("conformance", "--", "/no/such/program")) {
            assertThat(none.exitCode(PATIENCE)).isEqualTo(2);
            assertThat(none.err()).contains("there is no case with 'no such case' in its name");
            assertThat(missing.exitCode(PATIENCE)).isEqualTo(1);
            assertThat(missing.err()).contains("the end cannot be started");
        }
    }
}
