// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import io.reactivenetio.lease.LeaseReference;
import io.reactivenetio.lease.LeaseWindow;
import io.reactivenetio.lease.PageMessage;
import io.reactivenetio.transport.ReceivedBuffer;
import java.util.function.Supplier;

/**
 * Makes a lease of each message, as far as the connection's window allows. From then on the subscriber owns the lease, and the
 * lease keeps the receive buffer. On the loop.
 */
public record LeaseMapper<T extends LeaseReference>(LeaseWindow window, Supplier<T> factory, String origin)
        implements ElementMapper<T> {

    @Override
    public boolean admits(ReceivedBuffer buffer) {
        return window.admits(buffer, origin);
    }

    @Override
    public boolean admits(MessageRun run) {
        return window.admits(run, origin);
    }

    @Override
    public T map(ReceivedBuffer buffer) {
        return window.lease(buffer, factory.get(), origin);
    }

    @Override
    public T map(MessageRun run) {
        return window.lease(run, factory.get(), origin);
    }

    @Override
    public void mapped(ReceivedBuffer last) {
        if (last instanceof PageMessage message) {
            message.leases().settle();
        }
    }

    @Override
    public void mapped(MessageRun run) {
        run.leases().settle();
    }
}
