// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import java.nio.ByteBuffer;

/** A message that arrived, with what is said of it. Whoever shows it says how long. On the loop. */
public interface IncomingMessage {
    /** The message, from position 0 to limit. */
    ByteBuffer data();

    /** The size of the message in bytes. */
    int length();

    /** Its own tag, or else that of its stream. */
    long tag();

    /** 0 to 255. */
    int status();
}
