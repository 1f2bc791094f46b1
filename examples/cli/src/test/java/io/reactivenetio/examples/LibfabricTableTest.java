// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.backend.NetworkBackend;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** docs/networks.md says the same as the code and the scripts. */
class LibfabricTableTest {
    private static final Path DOCUMENT = Path.of("../../docs/networks.md");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| ([0-9][^ ]*) \\| tcp \\| passes \\|");

    @Test
    void shouldCallThoseVersionsTestedThatPass() throws Exception {
        List<String> passed = ROW.matcher(Files.readString(DOCUMENT)).results().map(row -> row.group(1)).toList();

        assertThat(NetworkBackend.provider(BackendType.LIBFABRIC).library().testedVersions()).isEqualTo(passed);
    }

    @Test
    void shouldDescribeTheSuitesThatAreThere() throws Exception {
        Process list = new ProcessBuilder("../../tck-tests/libfabric/suites", "--list").start();
        String document = Files.readString(DOCUMENT);

        assertThat(list.inputReader().readLine().split(" ")).hasSizeGreaterThan(6)
                .allSatisfy(suite -> assertThat(document).contains("[" + suite + "]", "\n| `" + suite + "` | "));
    }
}
