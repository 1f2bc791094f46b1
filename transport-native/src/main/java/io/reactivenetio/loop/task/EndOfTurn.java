// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.task;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The tasks to run at the end of the present turn, in a ring that grows and never shrinks. Confined to the loop thread. */
public final class EndOfTurn {
    /** Tasks may add others without end; a terminating loop gives up after so many passes. */
    private static final int LAST_PASSES = 64;

    private final Failures failures;
    private final int maxAdded;
    private @Nullable Runnable[] ring = new @Nullable Runnable[64];
    private int head;
    private int size;

    /** A pass runs what it found and at most {@code maxAdded} tasks that were added by it. */
    public EndOfTurn(int maxAdded, Failures failures) {
        this.maxAdded = maxAdded;
        this.failures = failures;
    }

    public void add(Runnable task) {
        Objects.requireNonNull(task, "task");
        if (size == ring.length) {
            grow();
        }
        ring[(head + size) & (ring.length - 1)] = task;
        size++;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** Returns whether anything was run. */
    public boolean runPass() {
        int limit = size == 0 ? 0 : (int) Math.min((long) size + maxAdded, Integer.MAX_VALUE);
        for (int i = 0; i < limit && size > 0; i++) {
            Runnable task = take();
            try {
                task.run();
            } catch (Throwable t) {
                failures.report(t);
            }
        }
        return limit > 0;
    }

    /** Runs the passes of the terminating loop, which has no next turn. */
    public void runLastPasses() {
        for (int pass = 0; pass < LAST_PASSES && size > 0; pass++) {
            runPass();
        }
        if (size > 0) {
            failures.report(new IllegalStateException("The loop terminated while end-of-turn tasks kept adding others"));
        }
    }

    private Runnable take() {
        Runnable task = Objects.requireNonNull(ring[head]);
        ring[head] = null;
        head = (head + 1) & (ring.length - 1);
        size--;
        return task;
    }

    private void grow() {
        @Nullable Runnable[] grown = Arrays.copyOf(ring, 2 * size);
        // The part that had wrapped around follows the rest, in the half that is new.
        System.arraycopy(ring, 0, grown, size, head);
        Arrays.fill(grown, 0, head, null);
        ring = grown;
    }
}
