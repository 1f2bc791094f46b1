// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Counts the system calls of a process that have to do with messages, from its start to its end. */
final class Strace implements AutoCloseable {
    private static final String CALLS = "trace=sendto,sendmsg,sendmmsg,recvfrom,recvmsg,recvmmsg,read,readv,write,writev,poll,"
            + "ppoll,select,pselect6,epoll_wait,io_uring_enter,epoll_pwait,epoll_pwait2,epoll_ctl";

    private final Path file;

    Strace() {
        try {
            file = Files.createTempFile("netio-bench", ".strace");
        } catch (IOException e) {
            throw new BenchFailedException("no temporary file: " + e.getMessage(), e);
        }
    }

    /** What to put before a command. */
    List<String> prefix() {
        return List.of("strace", "-f", "--seccomp-bpf", "-qq", "-c", "-U", "calls,name", "-e", CALLS, "-o", file.toString());
    }

    /** How often each was called. The process must have ended. */
    Map<String, Long> counts() {
        Map<String, Long> counts = new LinkedHashMap<>();
        for (String line : lines()) {
            String[] words = line.strip().split("\\s+", -1);
            if (words.length == 2 && words[0].matches("[0-9]+") && !words[1].equals("total")) {
                counts.put(words[1], Long.parseLong(words[0]));
            }
        }
        return counts;
    }

    private List<String> lines() {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new BenchFailedException("strace left nothing: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // stays in the temporary folder
        }
    }
}
