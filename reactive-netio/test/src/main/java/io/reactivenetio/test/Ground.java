// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.test;

import io.reactivenetio.NetioLoops;
import io.reactivenetio.api.DisposableServer;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What both ends of a pair stand on: their loops, the network between them, and the time. Any thread. */
interface Ground {

    NetioLoops loops(PairSide side);

    /** The port that leads clients to {@code server}, which is bound and the only one. */
    int portOf(DisposableServer server);

    void advance(Duration by);

    /** Breaks all connections. {@code told} is the end that notices; null for both. */
    void disconnect(@Nullable PairSide told);

    /** Nothing arrives any more that this side sends. */
    void hold(PairSide from);

    /** Whatever waited arrives. */
    void resume();

    /** Whatever waited arrives, and nothing takes time any more. */
    void calm();

    /** How long what this side sends is on its way. */
    void delay(PairSide from, Duration by);

    /** Waits until that is so. Returns false if it takes longer than {@code limit}. */
    boolean await(BooleanSupplier condition, Duration limit);

    /** Ends the loops and all else. Returns false if that takes longer than {@code limit}. */
    boolean close(Duration limit);
}
