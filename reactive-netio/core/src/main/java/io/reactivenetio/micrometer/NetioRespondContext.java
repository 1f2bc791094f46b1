// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micrometer;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import java.net.InetSocketAddress;
import java.util.Map;

/** The Context of {@link NetioObservationDocumentation#RESPOND}. Its carrier has the headers of the request. */
@SuppressWarnings("exports") // as of NetioObservations
public final class NetioRespondContext extends ReceiverContext<Map<String, String>> implements NetioObservationContext {
    private final Facts facts;

    NetioRespondContext(Facts facts, Map<String, String> headers) {
        super(Map::get, Kind.SERVER);
        setCarrier(headers);
        setRemoteServiceAddress(facts.address());
        this.facts = facts;
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
