// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.ffm.CPrograms;
import io.reactivenetio.ffm.Numbers;
import io.reactivenetio.ffm.SockAddrLayout;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares every number of the binding with the headers that the C compiler finds, by way of a C program. */
class FiLayoutTest {
    @TempDir
    Path directory;

    @Test
    void shouldAgreeWithTheInstalledHeaders() throws Exception {
        Map<String, Long> ours = Numbers.of(FiLayout.class, Fi.class, SockAddrLayout.class);
        ours.remove("ROOM");

        assertThat(ours).hasSizeGreaterThan(100).containsExactlyInAnyOrderEntriesOf(headers());
    }

    @Test
    void shouldLeaveRoomForFieldsOfLaterVersions() {
        assertThat(FiLayout.ROOM).isGreaterThanOrEqualTo(FiLayout.CQ_ERR_PROV_ERRNO + 4 + 128);
    }

    private Map<String, Long> headers() throws Exception {
        Path source = directory.resolve("fabric_layout.c");
        try (InputStream in = FiLayoutTest.class.getResourceAsStream("fabric_layout.c")) {
            Files.copy(in, source);
        }
        Path program = directory.resolve("fabric_layout");
        CPrograms.run("gcc", "-Wall", "-Werror", "-o", program.toString(), source.toString());
        Map<String, Long> values = new TreeMap<>();
        for (String line : CPrograms.run(program.toString()).split("\n")) {
            String[] words = line.split(" ");
            values.put(words[0], Long.parseLong(words[1]));
        }
        return values;
    }
}
