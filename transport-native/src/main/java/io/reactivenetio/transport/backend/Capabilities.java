// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

/**
 * What an established connection can do: what its parameters asked for and its backend has.
 *
 * @param sendBuffered {@link NetworkBackend#getBuffer} and {@link NetworkBackend#sendBuffer}
 * @param sendCopy {@link NetworkBackend#sendCopy}
 * @param sendZeroCopy {@link NetworkBackend#sendZeroCopy}
 * @param receive whether messages of the peer can be received; one that comes nevertheless is an error
 */
public record Capabilities(boolean sendBuffered, boolean sendCopy, boolean sendZeroCopy, boolean receive) {
}
