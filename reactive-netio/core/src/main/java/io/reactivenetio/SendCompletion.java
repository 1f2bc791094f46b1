// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.transport.CompletionLevel;

/** What must have happened to all messages of a send before the send completes. */
public enum SendCompletion {
    /** The messages are in receive buffers of the peer. Over plain TCP with RAW or PAGE framing, the peer's kernel has them. */
    DELIVERED(CompletionLevel.DELIVERY_COMPLETE),

    /** The messages have left this process, and their memory can be used again. They may be lost if the connection ends. */
    TRANSMITTED(CompletionLevel.TRANSMIT_COMPLETE);

    private final CompletionLevel level;

    SendCompletion(CompletionLevel level) {
        this.level = level;
    }

    CompletionLevel level() {
        return level;
    }
}
