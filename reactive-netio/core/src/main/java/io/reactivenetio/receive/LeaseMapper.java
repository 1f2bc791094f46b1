// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import io.reactivenetio.api.Lease;
import io.reactivenetio.lease.LeaseWindow;

/**
 * Makes a lease of each message, as far as the connection's window allows. From then on the subscriber owns the lease, and the
 * lease keeps the receive buffer. On the loop.
 */
public record LeaseMapper(LeaseWindow window, String origin) implements ElementMapper<Lease> {

    @Override
    public boolean admits(MessageRun run) {
        return window.admits(run, origin);
    }

    @Override
    public boolean mayRunAhead() {
        return false;
    }

    @Override
    public Lease map(MessageRun run) {
        return window.lease(run, origin);
    }
}
