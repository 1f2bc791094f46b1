// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micrometer;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import java.net.SocketAddress;
import java.util.Map;

/** The Context of {@link NetioObservationDocumentation#RESPOND}. Its carrier has the headers of the request. */
public final class NetioRespondContext extends ReceiverContext<Map<String, String>> implements NetioObservationContext {
    private final ObservedOperation operation;

    NetioRespondContext(ObservedOperation operation, Map<String, String> headers) {
        super(Map::get, Kind.SERVER);
        setCarrier(headers);
        setRemoteServiceAddress(operation.address());
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
