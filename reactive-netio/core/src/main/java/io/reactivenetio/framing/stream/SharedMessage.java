// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import java.nio.ByteBuffer;

/**
 * A published message, shared by all who are sent it, and so never changed.
 *
 * @param status 0 to 255
 * @param payload from its position to its limit, neither of which is moved
 */
public record SharedMessage(long tag, int status, ByteBuffer payload) {
}
