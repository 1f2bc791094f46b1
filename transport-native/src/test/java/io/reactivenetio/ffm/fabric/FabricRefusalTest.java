// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.ffm.CPrograms;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Versions that do not work are refused when they are loaded, before anything but their version is asked of them. */
class FabricRefusalTest {
    @TempDir
    Path directory;

    /** A library that has a version, and nothing more. */
    private Path library(String number, String text) throws Exception {
        Path source = directory.resolve("old_libfabric.c");
        try (InputStream in = FabricRefusalTest.class.getResourceAsStream("old_libfabric.c")) {
            Files.copy(in, source);
        }
        Path library = directory.toRealPath().resolve("libfabric.so.1");
        CPrograms.run("gcc", "-Wall", "-Werror", "-shared", "-fPIC", "-DNUMBER=" + number, "-DTEXT=\"" + text + "\"",
                "-o", library.toString(), source.toString());
        return library;
    }

    private static String load(Path library, Map<String, String> more, String... options) throws Exception {
        Map<String, String> environment = new HashMap<>(more);
        environment.put("NETIO_LIBFABRIC", library.toString());
        return FabricLoadingTest.child(environment, List.of(options), "version").output();
    }

    @Test
    void shouldRefuseAVersionThatIsTooOld() throws Exception {
        Path library = library("1 << 16 | 12", "1.12.1");

        assertThat(load(library, Map.of())).contains("unavailable: libfabric 1.12.1 (" + library + ") is too old. "
                + FabricVersion.thoseThatWork() + ": install one of those, or set NETIO_LIBFABRIC to the path of its "
                + "libfabric.so.1. -Dnetio.libfabric.anyVersion=true, or NETIO_LIBFABRIC_ANY_VERSION=1 in the environment, "
                + "uses this one all the same");
    }

    @Test
    void shouldTellABrokenVersionFromTheOneThatMendsIt() throws Exception {
        assertThat(load(library("1 << 16 | 18", "1.18.0"), Map.of())).contains("unavailable: libfabric 1.18.0 (")
                .contains(") is broken: ");

        Files.delete(directory.resolve("old_libfabric.c"));
        assertThat(load(library("1 << 16 | 18", "1.18.1"), Map.of())).contains("is not a usable libfabric: it has no fi_");
    }

    @Test
    void shouldUseARefusedVersionAllTheSameWhenToldTo() throws Exception {
        Path library = library("1 << 16 | 12", "1.12.1");

        assertThat(load(library, Map.of("NETIO_LIBFABRIC_ANY_VERSION", "1")))
                .contains("unavailable: " + library + " is not a usable libfabric: it has no fi_");
        assertThat(load(library, Map.of(), "-Dnetio.libfabric.anyVersion=true"))
                .contains("unavailable: " + library + " is not a usable libfabric: it has no fi_");
    }

    @Test
    void shouldTellTheFileBehindALink() throws Exception {
        Path library = library("1 << 16 | 12", "1.12.1");
        Path link = Files.createSymbolicLink(directory.resolve("link.so"), library);

        assertThat(load(link, Map.of())).contains("unavailable: libfabric 1.12.1 (" + library + ")");
    }
}
