// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.outside;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A local repository of Maven's with what a user depends on, as this build has made it. It is behind that of the machine, so that
 * nothing of this build gets in there. Its version is one that is nowhere else.
 */
final class Repository {
    static final String VERSION = "0.1.0-OUTSIDE";
    private static final String BUILT = "0.1.0-SNAPSHOT";

    private final Path root;
    private final Path folder;

    /** {@code root} is the checkout; the repository is made in {@code folder}. */
    Repository(Path root, Path folder) throws IOException {
        this.root = root;
        this.folder = folder;
        put("reactive-netio-parent", ".", false);
        put("reactive-netio-modules", "reactive-netio", false);
        put("reactive-netio-transport-native", "transport-native", true);
        put("reactive-netio", "reactive-netio/core", true);
        put("reactive-netio-micrometer", "reactive-netio/micrometer", true);
        put("reactive-netio-spring-boot-autoconfigure", "reactive-netio/spring-boot-autoconfigure", true);
        put("reactive-netio-spring-boot-starter", "reactive-netio/spring-boot-starter", true);
    }

    private void put(String artifact, String module, boolean hasJar) throws IOException {
        Path from = root.resolve(module);
        Path to = Files.createDirectories(folder.resolve("io/reactivenetio").resolve(artifact).resolve(VERSION));
        Files.writeString(to.resolve(artifact + "-" + VERSION + ".pom"),
                Files.readString(from.resolve("pom.xml")).replace(BUILT, VERSION));
        if (hasJar) {
            Files.copy(from.resolve("target").resolve(artifact + "-" + BUILT + ".jar"),
                    to.resolve(artifact + "-" + VERSION + ".jar"));
        }
    }

    /** The options of a Maven that finds it. */
    List<String> options() {
        return List.of("-Dmaven.repo.local=" + System.getProperty("netio.test.repository"), "-Dmaven.repo.local.tail=" + folder);
    }
}
