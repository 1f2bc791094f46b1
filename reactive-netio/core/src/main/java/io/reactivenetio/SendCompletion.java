// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.transport.CompletionLevel;

/** What has to have happened to all its messages before a send completes. */
public enum SendCompletion {
    /** They are in receive buffers of the peer; over plain TCP with RAW or PAGE framing, the peer's kernel has them. */
    DELIVERED(CompletionLevel.DELIVERY_COMPLETE),

    /** They have left this process, and what they were sent from can be used again. They may be lost if the connection ends. */
    TRANSMITTED(CompletionLevel.TRANSMIT_COMPLETE);

    private final CompletionLevel level;

    SendCompletion(CompletionLevel level) {
        this.level = level;
    }

    CompletionLevel level() {
        return level;
    }
}
