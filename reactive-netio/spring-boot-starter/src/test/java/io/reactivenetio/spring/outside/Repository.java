// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.outside;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A local repository of Maven's with what a user depends on, as this build has made it. The one of the machine is behind it, so
 * that nothing is loaded twice and nothing of this build gets in there.
 */
final class Repository {
    private static final String VERSION = "0.1.0-SNAPSHOT";

    private final Path root;
    private final Path folder;

    /** {@code root}: the checkout. The repository is in its folder for such things, so that it is there next time. */
    Repository(Path root) throws IOException {
        this.root = root;
        this.folder = root.resolve(".netio/outside");
        delete(folder.resolve("io/reactivenetio"));
        put("reactive-netio-parent", ".", false);
        put("reactive-netio-modules", "reactive-netio", false);
        put("reactive-netio-transport-native", "transport-native", true);
        put("reactive-netio", "reactive-netio/core", true);
        put("reactive-netio-spring-boot-autoconfigure", "reactive-netio/spring-boot-autoconfigure", true);
        put("reactive-netio-spring-boot-starter", "reactive-netio/spring-boot-starter", true);
    }

    private void put(String artifact, String module, boolean hasJar) throws IOException {
        Path target = Files.createDirectories(folder.resolve("io/reactivenetio").resolve(artifact).resolve(VERSION));
        String name = artifact + "-" + VERSION;
        Files.copy(root.resolve(module).resolve("pom.xml"), target.resolve(name + ".pom"), StandardCopyOption.REPLACE_EXISTING);
        if (hasJar) {
            Files.copy(root.resolve(module).resolve("target").resolve(name + ".jar"), target.resolve(name + ".jar"),
                    StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    /** The options of a Maven that uses it. */
    List<String> options() {
        return List.of("-Dmaven.repo.local=" + folder, "-Dmaven.repo.local.tail=" + System.getProperty("netio.test.repository"));
    }
}
