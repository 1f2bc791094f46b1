// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.loop.EventLoop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A task that a thread gives to a loop and whose result it waits for. It gives up if no thread runs the loop.
 *
 * @param <T> its result
 */
final class LoopCall<T> {
    private final EventLoop loop;
    private final CompletableFuture<T> result = new CompletableFuture<>();

    private LoopCall(EventLoop loop) {
        this.loop = loop;
    }

    /**
     * Runs {@code task} on {@code loop} and returns its result. The caller must not be on the loop. The caller waits as long as
     * some thread runs the loop. If none does after {@code patienceNanos}, the caller gets an IllegalStateException. A loop that
     * is started later runs {@code instead} and not the task. A task that had begun by then goes on to its end, and {@code undo}
     * gets its result.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the loop has terminated: the task will not run
     */
    static <T> T run(EventLoop loop, long patienceNanos, Supplier<T> task, Consumer<T> undo, Runnable instead) {
        LoopCall<T> call = new LoopCall<>(loop);
        loop.execute(() -> call.complete(task, undo, instead));
        return call.await(patienceNanos);
    }

    private void complete(Supplier<T> task, Consumer<T> undo, Runnable instead) {
        if (result.isDone()) { // the caller has given up: what the task does, even for a moment, could be in the way of others
            instead.run();
            return;
        }
        try {
            T value = task.get();
            if (!result.complete(value)) {
                undo.accept(value);
            }
        } catch (RuntimeException | Error e) {
            result.completeExceptionally(e); // the caller waits for any outcome, an Error too
        }
    }

    private T await(long patienceNanos) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return result.get(patienceNanos, TimeUnit.NANOSECONDS);
                } catch (TimeoutException e) {
                    giveUpUnlessRun();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            throw thrown(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void giveUpUnlessRun() {
        if (!loop.hasThread() && !loop.isTerminated()) { // a loop that has terminated had run the task before
            result.completeExceptionally(new IllegalStateException("no thread runs " + loop + ": start it, run it or poll it"));
        }
    }

    private static RuntimeException thrown(ExecutionException e) {
        if (e.getCause() instanceof Error error) {
            throw error;
        }
        return e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e.getCause());
    }
}
