// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

import io.reactivenetio.lease.LeaseReference;
import java.nio.ByteBuffer;

/** A user's lease, as {@code io.reactivenetio.Lease} is one, which nobody but the library can make. */
final class Leased extends LeaseReference implements AutoCloseable {

    ByteBuffer buffer() {
        return message();
    }

    @Override
    public void close() {
        giveBackOnce();
    }
}
