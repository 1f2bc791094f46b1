// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import io.reactivenetio.loop.LoopMechanism;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** The kernel, and whether event loops can use its io_uring, or why not. */
record KernelFacts(String version, String ioUring) {
    static KernelFacts collect() {
        String version = System.getProperty("os.version", "");
        return new KernelFacts(version, LoopMechanism.IO_URING.unavailability().orElse("available"));
    }

    /** A small file's text, or "" if there is no such file. */
    static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return "";
        }
    }

    Map<String, Object> json() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("version", version);
        members.put("ioUring", ioUring);
        return members;
    }
}
