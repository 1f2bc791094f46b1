// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.thread;

import io.reactivenetio.ffm.Affinity;
import io.reactivenetio.ffm.LibC;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/** The thread that a loop starts for itself. Where it is to run on one CPU, it goes there before it runs the loop. */
public final class OwnThread {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String ALLOWED = "Cpus_allowed_list:";

    private final String loopName;
    private final int cpu;
    private final Runnable loop;
    private final Runnable close;
    private final Thread thread;
    /** 0, or the negated errno of the attempt, and then the loop is closed. */
    private final CompletableFuture<Integer> bound = new CompletableFuture<>();

    /** The thread calls {@code loop}, or {@code close} if it may not run on {@code cpu}. A negative number is any CPU. */
    public OwnThread(String loopName, int cpu, boolean daemon, Runnable loop, Runnable close) {
        this.loopName = loopName;
        this.cpu = cpu;
        this.loop = loop;
        this.close = close;
        thread = Thread.ofPlatform().name(loopName).daemon(daemon).unstarted(this::run);
    }

    public Thread thread() {
        return thread;
    }

    private void run() {
        int result;
        try {
            result = cpu < 0 ? 0 : Affinity.bindTo(cpu);
        } catch (Throwable t) { // whoever has started the thread waits for it
            close.run();
            bound.completeExceptionally(t);
            return;
        }
        if (result != 0) {
            close.run();
            bound.complete(result);
            return;
        }
        bound.complete(0);
        loop.run();
    }

    /** Any other thread, after the start. Throws IllegalArgumentException, when the loop is closed, if it may not run there. */
    public void requireBound() {
        int result = cpu < 0 ? 0 : bound.join();
        if (result != 0) {
            throw new IllegalArgumentException("The thread of event loop " + loopName + " may not run on CPU " + cpu
                    + " (sched_setaffinity: " + LibC.strerror(result) + "): this process has the CPUs " + allowed()
                    + ". Choose one of them, or give the process more: a container's cpuset, taskset or the service manager"
                    + " limits them");
        }
    }

    private static String allowed() {
        try {
            return Files.readAllLines(STATUS).stream().filter(line -> line.startsWith(ALLOWED))
                    .map(line -> line.substring(ALLOWED.length()).strip()).findAny().orElse("that nobody tells");
        } catch (IOException e) {
            return "that " + STATUS + " does not tell";
        }
    }
}
