// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micrometer;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** The Context of {@link NetioObservationDocumentation#REQUEST}. Its carrier takes the headers of the request. */
@SuppressWarnings("exports") // as of NetioObservations
public final class NetioRequestContext extends SenderContext<Map<String, String>> implements NetioObservationContext {
    private final Facts facts;

    NetioRequestContext(Facts facts) {
        super((headers, key, value) -> Objects.requireNonNull(headers).put(key, value), Kind.CLIENT);
        setCarrier(new LinkedHashMap<>());
        setRemoteServiceAddress(facts.address());
        this.facts = facts;
    }

    Facts facts() {
        return facts;
    }

    @Override
    public NetioObservationDocumentation observation() {
        return facts.observation();
    }

    @Override
    public String tag() {
        return facts.tag();
    }

    @Override
    public InetSocketAddress peer() {
        return facts.peer();
    }

    @Override
    public String outcome() {
        return facts.outcome();
    }
}
