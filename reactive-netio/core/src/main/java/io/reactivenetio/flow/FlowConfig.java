// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import io.reactivenetio.transport.BackendConfig;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.ConnectionParameters;

/**
 * How connections of a server or client are made and read.
 *
 * @param emptyMessageEnds whether an empty message completes the stream
 * @param closeEnds whether a peer that closes completes the stream, instead of failing it
 */
public record FlowConfig(BackendType backendType, BackendConfig backend, ConnectionParameters parameters,
        boolean emptyMessageEnds, boolean closeEnds) {

    /** The parameters with the send buffers that {@link Outbound} needs besides the user's. */
    ConnectionParameters endpointParameters() {
        return parameters.withSendBuffers(parameters.sendBufferSize(),
                Math.min(parameters.sendBuffers() + Outbound.RESERVE, ConnectionParameters.MAX_BUFFERS));
    }
}
