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

    /** The tag of any buffer; 0 where nothing is said of it. */
    static long tagOf(ReceivedBuffer buffer) {
        return buffer instanceof TaggedBuffer tagged ? tagged.tag() : 0;
    }

    /** The status of any buffer; 0 where nothing is said of it. */
    static int statusOf(ReceivedBuffer buffer) {
        return buffer instanceof TaggedBuffer tagged ? tagged.status() : 0;
    }
}
