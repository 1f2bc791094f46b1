// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import java.nio.ByteBuffer;

/**
 * A message in the receive buffer it arrived in. Valid during the data callback; {@link #retain()} keeps it, and withholds its
 * credit from the peer, until the matching {@link #release()}. After the last one {@link #data}, {@link #retain} and {@link
 * #release} throw {@link IllegalStateException}.
 */
public interface ReceivedBuffer {

    /**
     * The message, from position 0 to limit, little-endian; the same object for the life of the slot, so never to be kept after
     * release.
     */
    ByteBuffer data();

    /** Bytes in the message. */
    int length();

    /** Adds a reference. Loop thread, or any thread that already owns one. */
    void retain();

    /** Gives one reference back, from any thread; with the last one the slot is posted again, or freed if the endpoint closed. */
    void release();
}
