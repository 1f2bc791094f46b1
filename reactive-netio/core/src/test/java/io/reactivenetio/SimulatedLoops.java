// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.connection.LoopContext;
import java.util.List;

/** Lets a simulation give servers and clients loops that it drives. */
public final class SimulatedLoops {

    private SimulatedLoops() {
    }

    public static NetioLoops of(List<LoopContext> contexts) {
        return new NetioLoops(contexts);
    }
}
