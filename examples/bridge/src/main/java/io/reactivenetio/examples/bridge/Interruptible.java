// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Lets a command end in an orderly way when the process is ended, by Ctrl-C for one: it has so long to finish and to report. */
final class Interruptible implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 20;
    private static final int FAILED = 1;

    private final Sinks.Empty<Void> stop = Sinks.empty();
    private final CountDownLatch done = new CountDownLatch(1);
    private volatile boolean asked;
    private volatile boolean failed;
    private final Thread hook = new Thread(this::interrupted, "interrupted");

    Interruptible() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Completes when the command is to end. */
    Mono<Void> asked() {
        return stop.asMono();
    }

    /** Whether it is to end. */
    boolean isAsked() {
        return asked;
    }

    /** Notes that not all was done, and that this was said: the exit code is not that of a command that was only interrupted. */
    void failed() {
        failed = true;
    }

    @SuppressWarnings("SystemOut") // beside the result
    private void interrupted() {
        asked = true;
        stop.tryEmitEmpty();
        try {
            if (!done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("netio: not ended within " + PATIENCE_SECONDS + " s: what was under way is given up");
                Thread.currentThread().interrupt();
            } else if (failed) {
                System.out.flush();
                Runtime.getRuntime().halt(FAILED);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        done.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // it is being ended
        }
    }
}
