// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import io.reactivenetio.transport.BackendConfig;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.ConnectionParameters;

/**
 * How connections of a server or client are made and read.
 *
 * @param parameters the buffers that the user wants
 * @param atLeaseCap what becomes of messages when no further receive buffer may be leased
 */
public record FlowConfig(BackendType backendType, BackendConfig backend, ConnectionParameters parameters,
        Framing framing, AtLeaseCap atLeaseCap) {

    public FlowConfig {
        if (atLeaseCap != AtLeaseCap.COPY && LeaseWindow.cap(parameters.receiveBuffers()) == 0) {
            throw new IllegalArgumentException("with one receive buffer nothing is left beside a lease, so that only the lease"
                    + " policy COPY can work: use 2 receive buffers or more");
        }
    }

    /** The parameters with what the framing needs besides. */
    ConnectionParameters endpointParameters(boolean connects) {
        return framing.parameters(parameters, connects);
    }
}
