// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.testing.TestSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * One side uses the libfabric that all tests use, the other the library that the environment variable NETIO_OTHER_LIBFABRIC
 * names, as NETIO_LIBFABRIC would: the path of a libfabric.so.1 of another version.
 */
@Timeout(180)
@EnabledIfEnvironmentVariable(named = AcrossVersionsTest.OTHER, matches = ".+",
        disabledReason = "needs a second version of libfabric: the path of its libfabric.so.1")
class AcrossVersionsTest {
    static final String OTHER = "NETIO_OTHER_LIBFABRIC";
    private static final int SIZE = 5_000_003;
    private static Map<String, String> other = Map.of();

    @TempDir
    private Path directory;

    @BeforeAll
    static void find() {
        Path library = Path.of(System.getenv(OTHER)).toAbsolutePath();
        assertThat(library).as(OTHER).isRegularFile();
        other = Map.of("NETIO_LIBFABRIC", library.toString());
    }

    @ParameterizedTest
    @CsvSource({"stream,100", "stream,61424", "stream,1000000", "page,64", "page,61428", "raw,4096"})
    void shouldTransferToTheOtherVersion(String framing, int messageSize) throws IOException {
        transfer(Map.of(), other, framing, messageSize);
    }

    @ParameterizedTest
    @CsvSource({"stream,100", "stream,61424", "stream,1000000", "page,64", "page,61428", "raw,4096"})
    void shouldTransferFromTheOtherVersion(String framing, int messageSize) throws IOException {
        transfer(other, Map.of(), framing, messageSize);
    }

    private void transfer(Map<String, String> sender, Map<String, String> receiver, String framing, int messageSize)
            throws IOException {
        Path file = TestFiles.create(directory, TestSettings.scaled(messageSize < 1000 ? SIZE / 10 : SIZE));
        Path copy = directory.resolve("copy");
        try (NetioProcess recv = NetioProcess.start(List.of(), receiver, "recv", "--listen", TestSettings.ADDRESS + ":0",
                        "--framing", framing, "--json", "--out", copy.toString());
                NetioProcess send = NetioProcess.start(List.of(), sender, "send", "--json", "--to", recv.address(),
                        "--framing", framing, "--message-size", Integer.toString(messageSize), file.toString())) {
            send.expectSuccess();
            recv.expectSuccess();
            assertThat(Files.mismatch(file, copy)).isEqualTo(-1);
            assertThat(JsonReport.of(send).messages()).isEqualTo(JsonReport.of(recv).messages());
            assertThat(send.problems()).isEmpty();
            assertThat(recv.problems()).isEmpty();
        }
    }
}
