// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micrometer;

import io.micrometer.observation.Observation;
import java.net.SocketAddress;

/** The Context of {@link NetioObservationDocumentation#CONNECT} and {@link NetioObservationDocumentation#SUBSCRIBE}. */
public final class NetioClientContext extends Observation.Context implements NetioObservationContext {
    private final ObservedOperation operation;

    NetioClientContext(ObservedOperation operation) {
        this.operation = operation;
    }

    @Override
    public NetioObservationDocumentation observation() {
        return operation.observation();
    }

    @Override
    public String tag() {
        return operation.tag();
    }

    @Override
    public SocketAddress peer() {
        return operation.peer();
    }

    @Override
    public String outcome() {
        return operation.outcome();
    }
}
