// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import io.reactivenetio.transport.ReceivedBuffer;
import java.util.function.Function;

/** Hands over leases, as far as the connection's window allows. */
record Leasing<T>(LeaseWindow window, Function<LeaseState, T> factory, String origin) implements Handover<T> {

    @Override
    public boolean admits(ReceivedBuffer buffer) {
        return window.admits(buffer, origin);
    }

    @Override
    public boolean keeps() {
        return true;
    }

    @Override
    public T take(ReceivedBuffer buffer) {
        return factory.apply(window.lease(buffer, origin));
    }
}
