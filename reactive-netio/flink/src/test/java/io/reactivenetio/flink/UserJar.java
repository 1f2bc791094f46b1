// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarInputStream;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/** Puts a job, this library and what it needs into one jar, as users do who submit it to a cluster that has only Flink. */
final class UserJar {
    private final Set<String> names = new HashSet<>();
    private final JarOutputStream out;

    private UserJar(JarOutputStream out) {
        this.out = out;
    }

    /** Whether a job brings this entry of a class path; Flink's folder lib has the others. */
    static boolean isBrought(Path entry) {
        String name = entry.toString();
        return name.contains("/target/") || Stream.of("/reactor-core", "/reactive-streams", "/jctools-core", "/jspecify")
                .anyMatch(name::contains);
    }

    static Path build(Path jar, List<Path> entries) throws IOException {
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            UserJar made = new UserJar(out);
            for (Path entry : entries) {
                if (Files.isDirectory(entry)) {
                    made.addDirectory(entry);
                } else {
                    made.addJar(entry);
                }
            }
        }
        return jar;
    }

    private void addDirectory(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                try (InputStream in = Files.newInputStream(file)) {
                    add(directory.relativize(file).toString(), in);
                }
            }
        }
    }

    private void addJar(Path jar) throws IOException {
        try (JarInputStream in = new JarInputStream(Files.newInputStream(jar))) {
            for (JarEntry entry = in.getNextJarEntry(); entry != null; entry = in.getNextJarEntry()) {
                if (!entry.isDirectory()) {
                    add(entry.getName(), in);
                }
            }
        }
    }

    private void add(String name, InputStream content) throws IOException {
        if (!name.endsWith("module-info.class") && names.add(name)) {
            out.putNextEntry(new JarEntry(name));
            content.transferTo(out);
            out.closeEntry();
        }
    }
}
