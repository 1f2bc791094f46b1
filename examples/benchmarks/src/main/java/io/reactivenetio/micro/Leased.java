// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

import io.reactivenetio.lease.LeaseState;
import java.nio.ByteBuffer;

/** A user's lease, as {@code io.reactivenetio.Lease} is one, which nobody but the library can make. */
final class Leased implements AutoCloseable {
    private final LeaseState state;

    private Leased(LeaseState state) {
        this.state = state;
    }

    static Leased of(LeaseState state) {
        Leased lease = new Leased(state);
        state.watch(lease);
        return lease;
    }

    ByteBuffer buffer() {
        return state.buffer();
    }

    @Override
    public void close() {
        state.close();
    }
}
