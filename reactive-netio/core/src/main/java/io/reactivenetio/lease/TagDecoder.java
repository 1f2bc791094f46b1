// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import java.nio.ByteBuffer;

/** Makes something of a message and what is said of it, on the loop. */
@FunctionalInterface
public interface TagDecoder<T> {
    T decode(long tag, int status, ByteBuffer message);
}
