// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micrometer;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import java.net.SocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** The Context of {@link NetioObservationDocumentation#REQUEST}. Its carrier takes the headers of the request. */
public final class NetioRequestContext extends SenderContext<Map<String, String>> implements NetioObservationContext {
    private final ObservedOperation operation;

    NetioRequestContext(ObservedOperation operation) {
        super((headers, key, value) -> Objects.requireNonNull(headers).put(key, value), Kind.CLIENT);
        setCarrier(new LinkedHashMap<>());
        setRemoteServiceAddress(operation.address());
        this.operation = operation;
    }

    ObservedOperation operation() {
        return operation;
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
