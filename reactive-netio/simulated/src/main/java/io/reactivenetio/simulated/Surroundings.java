// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulated;

import io.reactivenetio.loop.EventLoop;

/**
 * What a simulated network is in: its time, and how well everything goes. Whoever drives the loops is that. Unless it says
 * otherwise nothing takes time, and nothing goes wrong.
 */
public interface Surroundings {

    /** The time in nanoseconds, which is that of the loops. */
    long now();

    /** Has {@code event} happen after so many nanoseconds, outside of every loop, and not within this call. */
    void after(long nanos, Runnable event);

    /** Called when a backend of {@code loop} has something for it to poll that it had not. */
    default void pending(EventLoop loop) {
    }

    /** Called between two steps of a loop's turn, in which other threads may act. */
    default void pause() {
    }

    /** How long the next thing takes that goes to the server, or from it. None overtakes another of its connection. */
    default long latencyNanos(boolean toServer) {
        return 0;
    }

    /** How long the server's answer takes, that the connection is there. */
    default long answerNanos() {
        return 0;
    }

    /** Whether the next send is turned away although there is room. */
    default boolean refusesSend() {
        return false;
    }

    /** How long the next receive buffer that was given back takes to be posted again. */
    default long repostNanos() {
        return 0;
    }

    /** How many sends of a connection may complete before they have arrived; 0 where completion means delivery. */
    default int kernelMessages() {
        return 0;
    }

    /** How long the next of these takes. */
    default long kernelNanos() {
        return 0;
    }

    /** Whether what tells a delivery waits behind the peer's messages, as over tcp. */
    default boolean acknowledgesBehindData() {
        return false;
    }
}
