// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

/** How a message was sent, and so what its key is. */
public enum SendKind {
    /** With {@link NetworkBackend#sendBuffer}: the key is {@link SendBuffer#key()}. */
    BUFFERED,
    /** With {@link NetworkBackend#sendZeroCopy}: the key is the caller's. */
    ZERO_COPY
}
