// SPDX-License-Identifier: Apache-2.0

/**
 * Internal. What is on the wire, byte by byte, as docs/wire-format.md says: netio3's pages, the pages of streams, the handshake,
 * the credits of both. Pure functions over buffers; nothing here does I/O or knows a connection.
 */
@NullMarked
package io.reactivenetio.wire;

import org.jspecify.annotations.NullMarked;

