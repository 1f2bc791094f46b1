// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.events;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
class ClusterDemoTest {
    @TempDir
    private Path directory;

    @Test
    @Timeout(value = 180, unit = TimeUnit.SECONDS)
    void shouldAccountForEachMessage() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        boolean complete = new ClusterDemo(directory, new PrintStream(out, true, StandardCharsets.UTF_8)).run(200, 6);

        assertThat(complete).as(out.toString(StandardCharsets.UTF_8)).isTrue();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("A TaskManager is killed", "The broker is killed", "read back")
                .contains("events complete")
                .doesNotContain("NOT");
    }
}
