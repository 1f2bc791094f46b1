// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.task;

import io.reactivenetio.loop.thread.LoopLog;
import java.util.Objects;
import java.util.function.Consumer;
import org.slf4j.Logger;

/** Where everything a user's callback throws ends: it is counted and handed to one handler, and the loop goes on. */
public final class Failures {
    private static final Logger LOG = LoopLog.LOG;

    private final String loopName;
    private final LoopCounters counters;
    private volatile Consumer<? super Throwable> handler;

    public Failures(String loopName, LoopCounters counters) {
        this.loopName = loopName;
        this.counters = counters;
        this.handler = failure -> LOG.error("A callback of event loop {} failed", loopName, failure);
    }

    public void handleWith(Consumer<? super Throwable> newHandler) {
        handler = Objects.requireNonNull(newHandler, "handler");
    }

    /** Loop thread. Runs a callback, and reports what it throws. */
    public void run(Runnable callback) {
        try {
            callback.run();
        } catch (Throwable t) {
            report(t);
        }
    }

    /** Loop thread. Never throws: what the handler throws is logged. */
    public void report(Throwable failure) {
        counters.countUserException();
        try {
            handler.accept(failure);
        } catch (Throwable fromHandler) {
            logQuietly(fromHandler, failure);
        }
    }

    private void logQuietly(Throwable fromHandler, Throwable failure) {
        try {
            LOG.error("The error handler of event loop {} failed on {}", loopName, failure, fromHandler);
        } catch (Throwable lost) {
            // Logging failed as well, for want of memory or stack: there is nobody left to tell, and the loop must go on.
            counters.countUserException();
        }
    }
}
