// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.ffm.Affinity;
import io.reactivenetio.ffm.LibC;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/** The thread that a loop starts for itself. Where it is to run on one CPU, it goes there before it runs the loop. */
final class OwnThread {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String ALLOWED = "Cpus_allowed_list:";

    private final EventLoopConfig config;
    private final Runnable loop;
    private final Runnable close;
    private final Thread thread;
    /** 0, or the negated errno of the attempt, and then the loop is closed. */
    private final CompletableFuture<Integer> bound = new CompletableFuture<>();

    /** The thread calls {@code loop}, or {@code close} if it may not run where it should. */
    OwnThread(EventLoopConfig config, Runnable loop, Runnable close) {
        this.config = config;
        this.loop = loop;
        this.close = close;
        thread = Thread.ofPlatform().name(config.name()).daemon(config.daemon()).unstarted(this::run);
    }

    Thread thread() {
        return thread;
    }

    private void run() {
        int result;
        try {
            result = config.cpu() == EventLoopConfig.ANY_CPU ? 0 : Affinity.bindTo(config.cpu());
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
    void requireBound() {
        int result = config.cpu() == EventLoopConfig.ANY_CPU ? 0 : bound.join();
        if (result != 0) {
            throw new IllegalArgumentException("The thread of event loop " + config.name() + " may not run on CPU " + config.cpu()
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
