// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against wire_peer.c, which was written from docs/wire-format.md and knows nothing of our classes. */
@Timeout(180)
class CPeerWireTest {
    private static final String NEEDS = "this test needs a C compiler: apt install gcc";
    private static final Path SOURCE = Path.of("src/test/c/wire_peer.c");
    private static final int CASES = 5_000;

    @TempDir
    static Path directory;
    private static Path program;

    @BeforeAll
    static void compile() throws Exception {
        program = directory.resolve("wire_peer");
        Path log = directory.resolve("gcc.log");
        List<String> command = List.of("gcc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program.toString(),
                SOURCE.toString());
        Process gcc;
        try {
            gcc = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        } catch (IOException e) {
            throw new AssertionError("cannot run gcc; " + NEEDS, e);
        }
        assertThat(gcc.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(gcc.exitValue()).as("%s; %s", NEEDS, Files.readString(log)).isZero();
    }

    /** Its answers to {@code lines}. */
    private static List<String> ask(List<String> lines) throws Exception {
        Path questions = Files.write(directory.resolve("questions"), lines);
        Path answers = directory.resolve("answers");
        Path errors = directory.resolve("errors");
        Process peer = new ProcessBuilder(program.toString()).redirectInput(questions.toFile()).redirectOutput(answers.toFile())
                .redirectError(errors.toFile()).start();
        boolean ended = peer.waitFor(60, TimeUnit.SECONDS);
        if (!ended) {
            peer.destroyForcibly();
        }
        assertThat(ended && peer.exitValue() == 0).as(Files.readString(errors)).isTrue();
        return Files.readAllLines(answers);
    }

    private static String hex(byte[] bytes) {
        return bytes.length == 0 ? "-" : HexFormat.of().formatHex(bytes);
    }

    private static String ours(String format, byte[] bytes) {
        try {
            return String.join("; ", WireText.read(format, bytes));
        } catch (ProtocolException e) {
            return "refused";
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"page", "stream", "stream+crc", "handshake", "request"})
    void shouldWriteTheSameBytesAndReadTheSameMeaning(String format) throws Exception {
        List<String> questions = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int seed = 0; seed < CASES; seed++) {
            List<String> meaning = RandomWire.meaning(format, new Random(seed));
            byte[] bytes = WireText.write(format, meaning);
            questions.add("r " + format + " " + hex(bytes));
            expected.add(String.join("; ", meaning));
            questions.add("w " + format + " " + String.join("; ", meaning));
            expected.add(hex(bytes));
            assertThat(ours(format, bytes)).as("seed %d", seed).isEqualTo(String.join("; ", meaning));
        }
        assertThat(ask(questions)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"page", "stream", "stream+crc", "handshake", "request"})
    void shouldRefuseTheSameAndElseReadTheSameWhenBytesAreDamaged(String format) throws Exception {
        List<String> questions = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int seed = 0; seed < CASES; seed++) {
            Random random = new Random(seed);
            byte[] bytes = RandomWire.damaged(format, WireText.write(format, RandomWire.meaning(format, random)), random);
            questions.add("r " + format + " " + hex(bytes));
            expected.add(ours(format, bytes));
        }
        assertThat(expected.stream().filter("refused"::equals).count()).isBetween(CASES / 10L, CASES * 19L / 20);
        assertThat(ask(questions)).isEqualTo(expected);
    }

    @Test
    void shouldSayOfTheVectorsWhatTheDocumentSays() throws Exception {
        List<String> questions = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (GoldenVector vector : GoldenVector.all()) {
            questions.add("r " + vector.format() + " " + hex(vector.bytes()));
            expected.add(vector.refused() ? "refused" : String.join("; ", vector.meaning()));
            if (vector.both()) {
                questions.add("w " + vector.format() + " " + String.join("; ", vector.meaning()));
                expected.add(hex(vector.bytes()));
            }
        }
        assertThat(ask(questions)).isEqualTo(expected);
    }
}
