// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import io.reactivenetio.lease.LeaseState;
import io.reactivenetio.lease.LeaseWindow;
import io.reactivenetio.transport.ReceivedBuffer;
import java.util.function.Function;

/** Makes a lease of each message, as far as the connection's window allows. */
public record LeaseMapper<T>(LeaseWindow window, Function<LeaseState, T> factory, String origin) implements ElementMapper<T> {

    @Override
    public boolean admits(ReceivedBuffer buffer) {
        return window.admits(buffer, origin);
    }

    @Override
    public boolean keepsMessages() {
        return true;
    }

    @Override
    public T map(ReceivedBuffer buffer) {
        return factory.apply(window.lease(buffer, origin));
    }
}
