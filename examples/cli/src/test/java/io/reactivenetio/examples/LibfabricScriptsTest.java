// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ./netio test --libfabric} builds with and notes results with, tried with a libfabric of three small files. */
@Timeout(180)
class LibfabricScriptsTest {
    private static final Path SCRIPTS = Path.of("../../tck-tests/libfabric").toAbsolutePath().normalize();
    /** Stands in for make, and counts how often it was asked to install. */
    private static final String MAKE = """
            #!/bin/sh
            [ "$1" = install ] || exit 0
            echo installed >>"$COUNT"
            prefix=$(cat prefix)
            mkdir -p "${2#DESTDIR=}$prefix/lib"
            echo library >"${2#DESTDIR=}$prefix/lib/libfabric.so.1"
            """;

    @TempDir
    Path directory;
    private Path source;
    private Path cache;
    private Path count;

    private record Outcome(int status, String output, String errors) {
    }

    @BeforeEach
    void makeSource() throws Exception {
        directory = directory.toRealPath();
        cache = directory.resolve("cache");
        count = directory.resolve("count");
        source = Files.createDirectories(directory.resolve("libfabric-9.9.9"));
        Files.writeString(source.resolve("configure.ac"), "AC_INIT([libfabric], [9.9.9], [nobody])\n");
        script(source.resolve("configure"), "#!/bin/sh\necho \"${1#--prefix=}\" >prefix\n");
        script(Files.createDirectories(directory.resolve("bin")).resolve("make"), MAKE);
    }

    private static void script(Path file, String text) throws IOException {
        assertThat(Files.writeString(file, text).toFile().setExecutable(true)).isTrue();
    }

    private void archive() throws Exception {
        assertThat(run(new ProcessBuilder("tar", "-C", directory.toString(), "-czf", directory + "/libfabric-9.9.9.tar.gz",
                "libfabric-9.9.9").start()).status()).isZero();
    }

    private Process start(String script, Object... arguments) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(SCRIPTS.resolve(script).toString());
        Stream.of(arguments).map(Object::toString).forEach(builder.command()::add);
        builder.environment().put("PATH", directory.resolve("bin") + ":" + System.getenv("PATH"));
        builder.environment().put("COUNT", count.toString());
        builder.environment().put("NETIO_LIBFABRIC_ARCHIVES", directory.toString());
        return builder.start();
    }

    private static Outcome run(Process process) throws Exception {
        String errors = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        return new Outcome(process.exitValue(), output.strip(), errors);
    }

    private Outcome build(Object wanted) throws Exception {
        return run(start("build", cache, wanted));
    }

    private List<String> builtOrBegun() throws IOException {
        try (Stream<Path> files = Files.list(cache)) {
            return files.filter(Files::isDirectory).map(file -> file.getFileName().toString()).toList();
        }
    }

    @Test
    void shouldBuildAVersionFromItsArchiveOnce() throws Exception {
        archive();
        assertThat(run(start("build", "--is-there", cache, "9.9.9")).status()).isEqualTo(3);

        Outcome first = build("9.9.9");
        Outcome second = build("9.9.9");

        assertThat(first.status()).as(first.errors()).isZero();
        assertThat(first.output()).isEqualTo(cache + "/9.9.9/lib/libfabric.so.1");
        assertThat(second).isEqualTo(new Outcome(0, first.output(), ""));
        assertThat(run(start("build", "--is-there", cache, "9.9.9"))).isEqualTo(second);
        assertThat(Files.readAllLines(count)).hasSize(1);
        assertThat(builtOrBegun()).containsExactly("9.9.9");
    }

    @Test
    void shouldBuildOnceWhenTwoAskAtTheSameTime() throws Exception {
        archive();
        Process one = start("build", cache, "9.9.9");
        Process other = start("build", cache, "9.9.9");

        assertThat(run(one).status() + run(other).status()).isZero();
        assertThat(Files.readAllLines(count)).hasSize(1);
    }

    @Test
    void shouldLeaveNothingOfABuildThatFails() throws Exception {
        archive();
        script(directory.resolve("bin/make"), "#!/bin/sh\necho no compiler\nexit 2\n");

        Outcome outcome = build("9.9.9");

        assertThat(outcome.status()).isEqualTo(1);
        assertThat(outcome.errors()).contains("no compiler\n",
                "building libfabric 9.9.9 failed at 'make'; the whole log: " + cache);
        assertThat(builtOrBegun()).isEmpty();
    }

    @Test
    void shouldLeaveNothingOfABuildThatIsInterrupted() throws Exception {
        archive();
        Path begun = directory.resolve("begun");
        script(directory.resolve("bin/make"), """
                #!/bin/sh
                sleep 50 &
                echo $! >begun.new
                mv begun.new %s
                wait
                """.formatted(begun));
        Process process = start("build", cache, "9.9.9");
        while (!Files.exists(begun)) {
            assertThat(process.isAlive()).isTrue();
            Thread.onSpinWait();
        }

        process.toHandle().destroy(); // leaves its output open

        assertThat(run(process).status()).isEqualTo(143);
        assertThat(builtOrBegun()).isEmpty();
        long child = Long.parseLong(Files.readString(begun).strip());
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (ProcessHandle.of(child).filter(ProcessHandle::isAlive).isPresent()) { // killed, and about to go
            assertThat(System.nanoTime()).as("time is up").isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldBuildASourceFolderAgainWhenItHasChanged() throws Exception {
        String first = build(source).output();
        assertThat(build(source).output()).isEqualTo(first).startsWith(cache + "/folder-");

        Files.writeString(source.resolve("more.c"), "int more;\n");

        assertThat(build(source).output()).isNotEqualTo(first);
        assertThat(Files.readAllLines(count)).hasSize(2);
    }

    @Test
    void shouldTakeWhatIsInstalledAsItIs() throws Exception {
        String prefix = Path.of(build(source).output()).getParent().getParent().toString();

        assertThat(build(prefix)).isEqualTo(new Outcome(0, prefix + "/lib/libfabric.so.1", ""));
        assertThat(Files.readAllLines(count)).hasSize(1);
    }

    @Test
    void shouldRefuseWhatIsNoLibfabric() throws Exception {
        Path text = Files.writeString(directory.resolve("libfabric.so.1"), "no library");
        Path archive = Files.writeString(directory.resolve("libfabric-8.8.8.tar.gz"), "no archive");
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");

        assertRefused("nonsense", "nonsense is neither a file nor a version: versions are like 2.6.0");
        assertRefused("/nowhere/libfabric.so.1", "/nowhere/libfabric.so.1 is neither a file nor a version");
        assertRefused(text, text + " is neither a library nor a source archive");
        assertRefused(java, java + " is a library, but not libfabric: it has no fi_getinfo");
        assertRefused(directory.resolve("bin"), "has neither lib/libfabric.so.1 nor libfabric's configure.ac");
        assertRefused(archive, "cannot unpack " + archive);
        assertRefused("8.8.8", "cannot unpack " + archive);
        Files.delete(archive);
        archive();
        Files.move(directory.resolve("libfabric-9.9.9.tar.gz"), archive);
        assertRefused("8.8.8", archive + " is libfabric 9.9.9, not 8.8.8");
        Files.delete(source.resolve("configure.ac"));
        archive();
        assertRefused("9.9.9", "is not a source archive of libfabric: it has no configure.ac of libfabric's");
        assertThat(builtOrBegun()).isEmpty();
    }

    private void assertRefused(Object wanted, String why) throws Exception {
        Outcome outcome = build(wanted);
        assertThat(outcome.status()).as(outcome.errors()).isEqualTo(2);
        assertThat(outcome.errors()).contains(why);
        assertThat(outcome.output()).isEmpty();
    }

    @Test
    void shouldKeepTheTableTrue() throws Exception {
        Path document = Files.writeString(directory.resolve("table.md"), """
                # Head
                | libfabric | provider | result | known troubles |
                |---|---|---|---|
                | 1.17.0 | tcp | passes | it is slow |
                | 1.17.0 | verbs | passes | |

                Foot
                """);

        assertThat(run(start("table", "check", document, "1.17.0", "passes"))).isEqualTo(new Outcome(0, "", ""));
        Outcome none = run(start("table", "check", document, "1.22.0", "passes"));
        assertThat(none.status()).isZero();
        assertThat(none.errors()).contains("has no row for libfabric 1.22.0");
        Outcome other = run(start("table", "check", document, "1.17.0", "fails: tck"));
        assertThat(other.status()).isEqualTo(1);
        assertThat(other.errors()).contains("says of libfabric 1.17.0: passes; but now: fails: tck");

        for (String row : List.of("2.6.0 passes", "1.17.0 fails: tck", "1.9.0 passes")) {
            Object[] words = row.split(" ", 2);
            assertThat(run(start("table", "record", document, words[0], words[1])).status()).isZero();
        }
        assertThat(document).hasContent("""
                # Head
                | libfabric | provider | result | known troubles |
                |---|---|---|---|
                | 1.9.0 | tcp | passes | |
                | 1.17.0 | tcp | fails: tck | it is slow |
                | 2.6.0 | tcp | passes | |
                | 1.17.0 | verbs | passes | |

                Foot
                """);
    }
}
