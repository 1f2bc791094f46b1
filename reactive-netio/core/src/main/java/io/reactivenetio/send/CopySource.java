// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.transport.backend.SendBuffer;
import org.jspecify.annotations.Nullable;

/** A source of messages that lie in send buffers, or in memory of its own where no send buffer was free. On the loop. */
interface CopySource extends SendSource {
    /** Whether the next message lies in memory of its own, and not in a send buffer. */
    boolean isNextStaged();

    /** The next message to be sent, whose buffer is the caller's from now on; null if there is none. */
    @Nullable SendBuffer next();

    /**
     * Copies the next message from memory of its own to {@code buffer}, which is the caller's, and returns that. If the message
     * has gone meanwhile, {@code buffer} is released, and the result is what {@link #next} returns.
     */
    @Nullable SendBuffer nextInto(SendBuffer buffer);
}
