// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.testing.TestSettings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What loading does to the JVM, or fails to do, seen in a JVM of its own. */
class FabricLoadingTest {
    @TempDir
    Path directory;

    record Outcome(int status, String output) {
    }

    private static String classPath() throws Exception {
        List<String> roots = new ArrayList<>();
        roots.add(root(LibFabric.class));
        roots.add(root(LoadingMain.class));
        for (Class<?> other : List.of(Assertions.class, TestSettings.class)) {
            roots.add(Path.of(other.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
        }
        return String.join(System.getProperty("path.separator"), roots);
    }

    private static String root(Class<?> type) throws Exception {
        Path file = Path.of(type.getResource(type.getSimpleName() + ".class").toURI());
        return file.resolve("../".repeat(type.getPackageName().split("\\.").length) + "..").normalize().toString();
    }

    static Outcome child(Map<String, String> environment, String... arguments) throws Exception {
        return child(environment, List.of(), arguments);
    }

    static Outcome child(Map<String, String> environment, List<String> options, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java",
                "--enable-native-access=ALL-UNNAMED", "-Xmx256m", "-XX:-CreateCoredumpOnCrash", "-cp", classPath()));
        command.addAll(options);
        command.add(LoadingMain.class.getName());
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("IPATH_") || name.startsWith("HFI_")
                || name.startsWith("FI_") || name.equals("NETIO_LIBFABRIC_ANY_VERSION"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(output).isTrue();
        return new Outcome(process.exitValue(), output);
    }

    @Test
    void shouldLeaveTheSignalHandlersOfTheJvmAlone() throws Exception {
        Outcome outcome = child(Map.of(), "hazard");

        assertThat(outcome.status()).as(outcome.output()).isZero();
        assertThat(outcome.output()).contains("survived");
    }

    @Test
    void shouldAllocateNothingOnTheDataPath() throws Exception {
        Outcome outcome = child(Map.of(), "allocation");

        assertThat(outcome.status()).as(outcome.output()).isZero();
        assertThat(outcome.output()).contains("allocated nothing");
    }

    @Test
    void shouldExplainThatTheLibraryIsAbsent() throws Exception {
        Outcome outcome = child(Map.of("NETIO_LIBFABRIC", "/nowhere/libfabric.so.1"), "load");

        assertThat(outcome.status()).as(outcome.output()).isZero();
        assertThat(outcome.output()).contains("unavailable: libfabric not found (tried /nowhere/libfabric.so.1 from "
                + "NETIO_LIBFABRIC, which does not exist): apt install libfabric1, "
                + "or set NETIO_LIBFABRIC to the path of libfabric.so.1");
    }

    @Test
    void shouldExplainThatTheFileIsNoLibrary() throws Exception {
        Path text = Files.writeString(directory.resolve("libfabric.so.1"), "not a library");

        Outcome outcome = child(Map.of("NETIO_LIBFABRIC", text.toString()), "load");

        assertThat(outcome.output()).contains("unavailable: libfabric not found").contains("which cannot be loaded");
    }

    @Test
    void shouldExplainThatTheFileIsAFolder() throws Exception {
        Outcome outcome = child(Map.of("NETIO_LIBFABRIC", directory.toString()), "load");

        assertThat(outcome.output()).contains("unavailable: libfabric not found").contains(", which is a folder)");
    }

    @Test
    void shouldExplainThatTheLibraryIsAnotherOne() throws Exception {
        Outcome outcome = child(Map.of("NETIO_LIBFABRIC", "libc.so.6"), "name");

        assertThat(outcome.output()).contains("unavailable:").contains("is not a usable libfabric: it has no fi_version");
    }

    @Test
    void shouldPassVariablesToTheLibrary() throws Exception {
        Outcome outcome = child(Map.of(), "variable");

        assertThat(outcome.output()).contains("loaded ").contains("providers []").contains("monitor disabled");
    }

    @Test
    void shouldPassPropertiesToTheLibraryOverItsEnvironmentAndOurDefaults() throws Exception {
        Outcome outcome = child(Map.of("FI_PROVIDER", "tcp"), List.of("-Dnetio.fi.FI_PROVIDER=none",
                "-Dnetio.fi.FI_MR_CACHE_MONITOR=memhooks", "-Dother.fi.FI_PROVIDER=tcp"), "load");

        assertThat(outcome.output()).contains("loaded ").contains("providers []").contains("monitor memhooks");
    }

    @Test
    void shouldListenInThePortRangeOfAProperty() throws Exception {
        Outcome outcome = child(Map.of(), List.of("-Dnetio.fi.FI_TCP_PORT_LOW_RANGE=20100",
                "-Dnetio.fi.FI_TCP_PORT_HIGH_RANGE=20400"), "listen");

        assertThat(outcome.output()).containsPattern("listens at 127.0.0.1:20[1-4][0-9][0-9]\\R");
    }

    @Test
    void shouldPassOnNothingButVariablesOfTheLibrary() throws Exception {
        Outcome outcome = child(Map.of(), List.of("-Dnetio.fi.LD_PRELOAD=/tmp/any.so"), "load");

        assertThat(outcome.output()).contains("unavailable: system property netio.fi.LD_PRELOAD is not a variable of libfabric:"
                + " write netio.fi.FI_NAME");
    }

    @Test
    void shouldKeepVariablesOfTheUser() throws Exception {
        Outcome outcome = child(Map.of("FI_MR_CACHE_MONITOR", "memhooks", "FI_PROVIDER", "tcp"), "load");

        assertThat(outcome.output()).contains("loaded ").contains("providers [tcp]").contains("monitor memhooks");
    }
}
