// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.util.concurrent.TimeUnit;

/** Holds what a send that was broken off says of its messages to what has become of them. */
final class Unsent {
    private static final long EXTRA_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final World world;
    private final Step.Send step;
    private final MessageSource source;

    Unsent(World world, Step.Send step, MessageSource source) {
        this.world = world;
        this.step = step;
        this.source = source;
    }

    /** What has arrived a while ago has left, and is known to. */
    void check(Throwable error) {
        if (!(error instanceof NetioAbortedException aborted) || source.runs().isEmpty()) {
            return;
        }
        Ledger.Batch batch = source.runs().getLast().batch();
        long given = batch.sizes.size();
        if (aborted.unsent() < 0 || aborted.unsent() > given) {
            world.machine().violated(aborted.unsent() + " messages of " + batch + " are unsent, it had " + given);
        } else if (step.transmitted() && !world.excuses().mayBeToldLate()) {
            long known = batch.arrivedBefore(world.machine().now() - 4 * world.scenario().weather().latencyNanos() - EXTRA_NANOS);
            if (aborted.unsent() > given - known) {
                world.machine().violated(aborted.unsent() + " of " + given + " messages are unsent, and " + known
                        + " had arrived long before: " + batch);
            }
        }
    }
}
