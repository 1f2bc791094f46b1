// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import java.nio.ByteBuffer;

/** Where the memory of a message came from that was put together, and where it goes when its leases are given back. */
@FunctionalInterface
public interface MessageMemory {

    /** Nobody looks at {@code message} any more. Any thread. */
    void returned(ByteBuffer message);
}
