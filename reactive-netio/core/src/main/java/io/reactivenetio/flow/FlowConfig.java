// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import io.reactivenetio.transport.BackendConfig;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.ConnectionParameters;
import io.reactivenetio.transport.MemoryRegion;

/**
 * How connections of a server or client are made and read.
 *
 * @param emptyMessageEnds whether an empty message completes the stream
 * @param closeEnds whether a peer that closes completes the stream, instead of failing it
 * @param atLeaseCap what becomes of messages when no further receive buffer may be leased
 */
public record FlowConfig(BackendType backendType, BackendConfig backend, ConnectionParameters parameters,
        boolean emptyMessageEnds, boolean closeEnds, AtLeaseCap atLeaseCap) {

    public FlowConfig {
        if (atLeaseCap != AtLeaseCap.COPY && LeaseWindow.cap(parameters.receiveBuffers()) == 0) {
            throw new IllegalArgumentException("with one receive buffer nothing is left beside a lease, so that only the lease"
                    + " policy COPY can work: use 2 receive buffers or more");
        }
    }

    /** The parameters with what {@link Outbound} needs besides the user's send buffers, and zero-copy sends. */
    ConnectionParameters endpointParameters() {
        ConnectionParameters more = parameters.withSendBuffers(parameters.sendBufferSize(), more(parameters.sendBuffers()));
        MemoryRegion region = parameters.region();
        return region == null ? more
                : more.withZeroCopy(region, parameters.zeroCopySize(), more(parameters.zeroCopySends()));
    }

    private static int more(int number) {
        return Math.min(number + Outbound.RESERVE, ConnectionParameters.MAX_BUFFERS);
    }
}
