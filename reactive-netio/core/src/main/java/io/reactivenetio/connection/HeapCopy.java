// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import java.nio.ByteBuffer;

/** Copies of messages that outlive the buffer a message was given in. */
public final class HeapCopy {

    private HeapCopy() {
    }

    /** A heap buffer of its own, big-endian, with the bytes of {@code message} from position to limit. Neither is moved. */
    public static ByteBuffer of(ByteBuffer message) {
        int bytes = message.remaining();
        return ByteBuffer.allocate(bytes).put(0, message, message.position(), bytes);
    }
}
