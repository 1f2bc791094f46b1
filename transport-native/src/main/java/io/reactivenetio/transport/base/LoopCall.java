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
 * A call that another thread has a loop run, and waits for. It does not wait for a loop that no thread runs.
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
     * The result of {@code task}, run on {@code loop}, which is any other thread's. If no thread has run the loop for {@code
     * patience}, that is an IllegalStateException, and the loop runs {@code instead} in the place of the task once it is run. A
     * task that has begun by then is ended, and what comes of it given to {@code undo}.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the loop has terminated, and the task will not be run
     */
    static <T> T run(EventLoop loop, long patienceNanos, Supplier<T> task, Consumer<T> undo, Runnable instead) {
        LoopCall<T> call = new LoopCall<>(loop);
        loop.execute(() -> call.complete(task, undo, instead));
        return call.await(patienceNanos);
    }

    private void complete(Supplier<T> task, Consumer<T> undo, Runnable instead) {
        if (result.isDone()) { // nobody waits any more: not even for a moment may it be in the way of others
            instead.run();
            return;
        }
        try {
            T value = task.get();
            if (!result.complete(value)) {
                undo.accept(value);
            }
        } catch (RuntimeException | Error e) {
            result.completeExceptionally(e); // whatever it is, somebody waits for it
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
        if (!loop.hasThread() && !loop.isTerminated()) { // then it has run the task before it ended
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
