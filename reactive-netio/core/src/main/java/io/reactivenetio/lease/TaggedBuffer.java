// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import io.reactivenetio.transport.backend.ReceivedBuffer;
import java.nio.ByteBuffer;

/** A received message with what is said of it, which can be retained. */
public interface TaggedBuffer extends ReceivedBuffer, IncomingMessage {
    @Override
    ByteBuffer data();

    @Override
    int length();
}
