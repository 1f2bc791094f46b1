// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.task;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What is to be run, last added first, when the loop terminates. */
public final class CloseHooks {
    private final Failures failures;
    private final Deque<Runnable> hooks = new ArrayDeque<>();
    private boolean done;

    public CloseHooks(Failures failures) {
        this.failures = failures;
    }

    /** Any thread. */
    public synchronized void add(Runnable hook) {
        Objects.requireNonNull(hook, "hook");
        if (done) {
            throw new IllegalStateException("The event loop is closed");
        }
        hooks.push(hook);
    }

    /** Any thread. Nothing if it is not there, or not any more. */
    public synchronized void remove(Runnable hook) {
        hooks.removeIf(each -> isSame(each, hook));
    }

    @SuppressWarnings("ReferenceEquality") // this very hook, whatever its equals says
    private static boolean isSame(Runnable a, Runnable b) {
        return a == b;
    }

    /** Loop thread. Hooks that hooks add are run too. */
    public void run() {
        for (Runnable hook = next(); hook != null; hook = next()) {
            failures.run(hook);
        }
    }

    private synchronized @Nullable Runnable next() {
        Runnable hook = hooks.poll();
        done = hook == null;
        return hook;
    }
}
