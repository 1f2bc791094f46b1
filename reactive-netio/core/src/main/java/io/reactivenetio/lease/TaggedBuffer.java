// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import io.reactivenetio.transport.ReceivedBuffer;

/** A received message with what is said of it. */
public interface TaggedBuffer extends ReceivedBuffer {
    /** Its own tag, or else that of its stream. */
    long tag();

    /** 0 to 255. */
    int status();
}
