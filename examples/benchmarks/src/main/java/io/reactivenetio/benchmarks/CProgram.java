// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** The C program, compiled where it runs, in a folder that goes when this is closed. */
public final class CProgram implements AutoCloseable {
    private static final String SOURCE = "netio_bench.c";
    private static final List<String> OPTIONS = List.of("-O2", "-pthread");

    private final Path folder;

    private CProgram(Path folder) {
        this.folder = folder;
    }

    /**
     * Compiles it.
     *
     * @throws BenchFailedException without a compiler or libfabric's headers
     */
    public static CProgram compile() {
        CProgram program;
        try {
            program = new CProgram(Files.createTempDirectory("netio-bench"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try {
            program.gcc();
            return program;
        } catch (RuntimeException e) {
            program.close();
            throw e;
        }
    }

    private void gcc() {
        try (InputStream source = Objects.requireNonNull(CProgram.class.getResourceAsStream("/c/" + SOURCE))) {
            Files.copy(source, folder.resolve(SOURCE));
            Process gcc = new ProcessBuilder("gcc", OPTIONS.get(0), OPTIONS.get(1), "-o", executable().toString(), SOURCE,
                    "-lfabric").directory(folder.toFile()).redirectErrorStream(true).start();
            gcc.getOutputStream().close();
            String output = new String(gcc.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (gcc.waitFor() != 0) {
                throw new BenchFailedException("gcc cannot compile " + SOURCE + " (are libfabric's headers there? Debian:"
                        + " apt install libfabric-dev): " + output.lines().limit(3).toList(), null);
            }
        } catch (IOException e) {
            throw new BenchFailedException("gcc is needed for the C program (Debian: apt install gcc libfabric-dev): "
                    + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchFailedException("interrupted", e);
        }
    }

    public Path executable() {
        return folder.resolve("netio_bench");
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(folder.resolve(SOURCE));
            Files.deleteIfExists(executable());
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            // a few kilobytes stay in the temporary folder
        }
    }
}
