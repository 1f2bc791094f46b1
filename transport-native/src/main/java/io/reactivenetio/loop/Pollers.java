// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.loop.task.Failures;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The pollers of a loop. They may come and go while they are being called. Confined to the loop thread. */
final class Pollers {
    private final Failures failures;
    private @Nullable LoopPoller[] pollers = new @Nullable LoopPoller[4];
    private int count;
    private int cursor;

    Pollers(Failures failures) {
        this.failures = failures;
    }

    void add(LoopPoller poller) {
        Objects.requireNonNull(poller, "poller");
        if (count == pollers.length) {
            pollers = Arrays.copyOf(pollers, 2 * count);
        }
        pollers[count++] = poller;
    }

    @SuppressWarnings("ReferenceEquality") // this very poller, whatever its equals says
    void remove(LoopPoller poller) {
        for (int i = 0; i < count; i++) {
            if (pollers[i] == poller) {
                System.arraycopy(pollers, i + 1, pollers, i, --count - i);
                pollers[count] = null;
                if (i <= cursor) {
                    cursor--;
                }
                return;
            }
        }
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Returns whether any of them did something. */
    boolean pollAll() {
        boolean worked = false;
        for (cursor = 0; cursor < count; cursor++) {
            try {
                worked |= at(cursor).poll() != 0;
            } catch (Throwable t) {
                failures.report(t);
            }
        }
        return worked;
    }

    /** Returns whether all of them agree. The first refusal ends the question: the loop will ask again. */
    boolean mayWait() {
        for (cursor = 0; cursor < count; cursor++) {
            try {
                if (!at(cursor).mayWait()) {
                    return false;
                }
            } catch (Throwable t) {
                failures.report(t);
                return false;
            }
        }
        return true;
    }

    private LoopPoller at(int index) {
        return Objects.requireNonNull(pollers[index]);
    }
}
