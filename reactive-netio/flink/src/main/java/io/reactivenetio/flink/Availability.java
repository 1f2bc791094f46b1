// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What a task waits for that has found nothing. There is a future only while it waits, so waking costs no allocation. */
final class Availability {
    private static final CompletableFuture<Void> NOW = CompletableFuture.completedFuture(null);

    private final AtomicReference<@Nullable CompletableFuture<Void>> waiting = new AtomicReference<>();

    /** A future that is complete when {@code something} may be true. For the task's thread. */
    CompletableFuture<Void> when(BooleanSupplier something) {
        if (something.getAsBoolean()) {
            return NOW;
        }
        CompletableFuture<Void> future = waiting.get();
        if (future == null) {
            future = new CompletableFuture<>();
            waiting.set(future);
        }
        if (something.getAsBoolean()) { // what came before the future was there
            wake();
        }
        return future;
    }

    /** Completes the future of a task that waits. Any thread may call it, after what the task waits for is there. */
    void wake() {
        VarHandle.fullFence(); // the queue's store is not ordered before this load otherwise
        if (waiting.get() != null) {
            CompletableFuture<Void> future = waiting.getAndSet(null);
            if (future != null) {
                future.complete(null);
            }
        }
    }
}
