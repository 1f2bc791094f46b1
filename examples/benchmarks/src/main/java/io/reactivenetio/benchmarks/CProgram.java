// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A C program, compiled where it runs, in a folder that goes when this is closed. */
public final class CProgram implements AutoCloseable {
    private static final String BENCH = "netio_bench";

    private final Path folder;
    private final String name;

    private CProgram(Path folder, String name) {
        this.folder = folder;
        this.name = name;
    }

    /**
     * Compiles the one that uses libfabric.
     *
     * @throws BenchFailedException without a compiler or libfabric's headers
     */
    public static CProgram compile() {
        return compile(CProgram.class, BENCH, List.of(BENCH + ".c"), List.of("-pthread", "-lfabric"),
                "are libfabric's headers there? Debian: apt install libfabric-dev");
    }

    /**
     * Compiles a program of {@code files}, C sources and headers, that are resources below {@code /c} of the module of
     * {@code owner}. If it does not compile, {@code hint} says why that may be.
     *
     * @throws BenchFailedException if it does not
     */
    public static CProgram compile(Class<?> owner, String name, List<String> files, List<String> options, String hint) {
        CProgram program;
        try {
            program = new CProgram(Files.createTempDirectory("netio-bench"), name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try {
            program.gcc(owner, files, options, hint);
            return program;
        } catch (RuntimeException e) {
            program.close();
            throw e;
        }
    }

    private void gcc(Class<?> owner, List<String> files, List<String> options, String hint) {
        List<String> command = new ArrayList<>(List.of("gcc", "-O2", "-o", executable().toString()));
        try {
            for (String file : files) {
                try (InputStream source = Objects.requireNonNull(owner.getResourceAsStream("/c/" + file), file)) {
                    Files.copy(source, folder.resolve(file));
                }
                if (file.endsWith(".c")) {
                    command.add(file);
                }
            }
            command.addAll(options);
            Process gcc = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
            gcc.getOutputStream().close();
            String output = new String(gcc.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (gcc.waitFor() != 0) {
                throw new BenchFailedException("gcc cannot compile " + name + " (" + hint + "): "
                        + output.lines().limit(3).toList(), null);
            }
        } catch (IOException e) {
            throw new BenchFailedException("gcc is needed for the C programs (Debian: apt install gcc libfabric-dev): "
                    + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchFailedException("interrupted", e);
        }
    }

    public Path executable() {
        return folder.resolve(name);
    }

    @Override
    public void close() {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.delete(file);
            }
            Files.delete(folder);
        } catch (IOException e) {
            // a few kilobytes stay in the temporary folder
        }
    }
}
