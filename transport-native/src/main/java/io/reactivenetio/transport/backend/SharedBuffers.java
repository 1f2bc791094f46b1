// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

/**
 * Buffers that all connections of a backend share, so that memory stays the same however many there are. A connection that holds
 * none may take any that is free. One that holds some leaves a quarter of all to connections that hold none, one buffer for each
 * of these if they are few, and in any case one for who comes next; a single buffer is left to nobody. On libfabric that holds
 * for send buffers only: there the peers decide who takes a receive buffer, see {@link BackendConfig#starvationTimeout()}.
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
