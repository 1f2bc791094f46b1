// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

/**
 * Buffers that all connections of a backend share, so that memory stays the same however many there are. Of several, one that
 * holds none can always get one when it comes back, and the last is kept for such a one: a connection that is alone uses all but
 * one. On libfabric that holds for send buffers only, see {@link BackendConfig#starvationTimeout()}.
 *
 * @param size bytes per buffer
 * @param number how many buffers
 */
public record SharedBuffers(int size, int number) {

    public SharedBuffers {
        if (size < 1) {
            throw new IllegalArgumentException("shared buffer size must be at least 1 byte: " + size);
        }
        ConnectionParameters.requireSize("shared buffer size", size);
        if (number < 1 || number > ConnectionParameters.MAX_BUFFERS) {
            throw new IllegalArgumentException("shared buffers must be between 1 and " + ConnectionParameters.MAX_BUFFERS + ": "
                    + number);
        }
    }
}
