// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A way to bring messages of one size from one process to another, over one connection of the loopback interface: a stream of
 * them, or requests and their answers. Every message begins with its number, 8 bytes, and numbers are checked.
 */
interface Peer {
    /** What users know it by. */
    String title();

    /** How it is set up here, and why this is what its own project recommends. */
    String settings();

    /** What it lacks on this machine, and how to get it; null where it can run. */
    default @Nullable String missing() {
        return null;
    }

    /** Whether the process that waits for the connection is the one that sends the stream. */
    default boolean listenerSends() {
        return false;
    }

    /** Whether it can wait without going to sleep. */
    default boolean spins() {
        return false;
    }

    /** The largest message that it can bring as it is set up, in bytes. */
    default int largest() {
        return Integer.MAX_VALUE;
    }

    /** Waits for the other process, works until that ends, and says what it saw. {@code port} is told where it listens. */
    Outcome listen(Work work, IntConsumer port) throws Exception;

    /** Connects to a process that listens, and works for as long as {@code work} says. */
    Outcome connect(Work work, int port) throws Exception;
}
