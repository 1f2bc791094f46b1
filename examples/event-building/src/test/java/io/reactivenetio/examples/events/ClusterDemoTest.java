// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.transport.BackendType;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("cluster")
class ClusterDemoTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    @Timeout(value = 300, unit = TimeUnit.SECONDS)
    void shouldAccountForEachMessage(BackendType backend) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        boolean complete = new ClusterDemo(directory, new PrintStream(out, true, StandardCharsets.UTF_8)).run(backend, 200, 6);

        assertThat(complete).as(out.toString(StandardCharsets.UTF_8)).isTrue();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("A TaskManager is killed", "The broker is killed", "read back")
                .contains("events complete")
                .doesNotContain("NOT");
    }
}
