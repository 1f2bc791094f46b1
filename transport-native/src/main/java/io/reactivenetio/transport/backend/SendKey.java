// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

/**
 * Names a send that was outstanding.
 *
 * @param kind how it was sent
 * @param key the buffer's index or the caller's key, as {@code kind} says
 */
public record SendKey(SendKind kind, long key) {
}
