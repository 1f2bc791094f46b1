// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a process has little of, and how it is started so. */
enum LittleLimit {
    DESCRIPTORS("64 descriptors", BackendType.TCP, "--nofile=64:64", null, 0),
    DESCRIPTORS_LIBFABRIC("96 descriptors", BackendType.LIBFABRIC, "--nofile=96:96", null, 0),
    LOCKED("64 KiB of locked memory", BackendType.LIBFABRIC, "--memlock=65536:65536", null, 0),
    HEAP("-Xmx64m", BackendType.TCP, "-Xmx64m", null, 0),
    DIRECT("-XX:MaxDirectMemorySize=16m", BackendType.TCP, "-XX:MaxDirectMemorySize=16m", null, 0),
    THREADS("64 threads", BackendType.TCP, "", "pids/pids.max", 64),
    MEMORY("256 MiB", BackendType.TCP, "-Xmx96m", "memory/memory.limit_in_bytes", 256 << 20);

    private static final Path GROUPS = Path.of("/sys/fs/cgroup");

    private final String text;
    private final BackendType backend;
    private final String option;
    private final @Nullable String group;
    private final int value;

    LittleLimit(String text, BackendType backend, String option, @Nullable String group, int value) {
        this.text = text;
        this.backend = backend;
        this.option = option;
        this.group = group;
        this.value = value;
    }

    BackendType backend() {
        return backend;
    }

    /** Makes the control group, if it is one. Returns why that is not possible here, or null. */
    @Nullable String prepare() {
        if (group == null) {
            return null;
        }
        try {
            Files.createDirectories(directory());
            Files.writeString(directory().resolve(GROUPS.resolve(group).getFileName()), Integer.toString(value));
            return null;
        } catch (IOException e) {
            return "a control group needs root, and version 1 of them: " + e;
        }
    }

    private Path directory() {
        return GROUPS.resolve(String.valueOf(group)).resolveSibling("netio-soak-" + ProcessHandle.current().pid());
    }

    /** Removes the control group. */
    void cleanUp() throws InterruptedException {
        if (group != null) {
            Waiting.within(Duration.ofSeconds(5), () -> directory().toFile().delete());
        }
    }

    /** Returns the command that starts a process with it. */
    List<String> prefix() {
        List<String> prefix = new ArrayList<>();
        if (option.startsWith("--")) {
            prefix.addAll(List.of("prlimit", option));
        }
        if (group != null) {
            prefix.addAll(List.of("sh", "-c", "echo $$ > " + directory().resolve("cgroup.procs") + " && exec \"$@\"", "sh"));
        }
        return prefix;
    }

    /** Returns the options of its JVM. */
    List<String> options() {
        return option.startsWith("-X") ? List.of(option) : List.of("-Xmx128m");
    }

    @Override
    public String toString() {
        return text + ", " + backend;
    }
}
