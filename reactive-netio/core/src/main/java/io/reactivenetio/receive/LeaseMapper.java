// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import io.reactivenetio.api.Lease;
import io.reactivenetio.lease.LeaseWindow;
import io.reactivenetio.lease.PageMessage;
import io.reactivenetio.transport.backend.ReceivedBuffer;

/**
 * Makes a lease of each message, as far as the connection's window allows. From then on the subscriber owns the lease, and the
 * lease keeps the receive buffer. On the loop.
 */
public record LeaseMapper(LeaseWindow window, String origin) implements ElementMapper<Lease> {

    @Override
    public boolean admits(ReceivedBuffer buffer) {
        return window.admits(buffer, origin);
    }

    @Override
    public boolean admits(MessageRun run) {
        return window.admits(run, origin);
    }

    @Override
    public boolean mayRunAhead() {
        return false;
    }

    @Override
    public Lease map(ReceivedBuffer buffer) {
        return window.lease(buffer, origin);
    }

    @Override
    public Lease map(MessageRun run) {
        return window.lease(run, origin);
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
