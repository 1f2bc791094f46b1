// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import io.reactivenetio.transport.ConnectionParameters;

/**
 * One message per buffer, nothing added.
 *
 * @param emptyMessageEnds whether an empty message completes the stream
 * @param closeEnds whether a peer that closes completes the stream, instead of failing it
 */
public record RawFraming(boolean emptyMessageEnds, boolean closeEnds) implements Framing {

    @Override
    public ConnectionParameters parameters(FlowConfig config, boolean connects) {
        return config.outboundParameters();
    }

    @Override
    public Traffic open(ConnectionFlow connection) {
        return new RawTraffic(connection, this);
    }
}
