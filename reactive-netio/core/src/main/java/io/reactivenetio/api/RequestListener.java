// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

/** Is told of each request that has ended, see {@link io.reactivenetio.NetioMetrics#addListener}. */
@FunctionalInterface
public interface RequestListener {

    /**
     * A request has ended. Called on the thread that ended it, mostly a loop's, by any number of threads at a time. It must not
     * block. What it throws is logged.
     *
     * @param side whose side of the request this is; a program that has both is told twice
     * @param outcome how it has ended
     * @param nanos how long it has taken, in nanoseconds; {@link RequestStatistics} says from when on
     */
    void ended(RequestSide side, RequestOutcome outcome, long nanos);
}
