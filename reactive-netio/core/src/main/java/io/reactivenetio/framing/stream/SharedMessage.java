// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import java.nio.ByteBuffer;

/**
 * A published message, which all streams that send it share. So its payload must never be changed.
 *
 * @param status 0 to 255
 * @param payload the bytes from position to limit, neither of which is moved
 */
public record SharedMessage(long tag, int status, ByteBuffer payload) {
}
