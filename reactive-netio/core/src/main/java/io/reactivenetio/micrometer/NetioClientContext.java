// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micrometer;

import io.micrometer.observation.Observation;
import java.net.InetSocketAddress;

/** The Context of {@link NetioObservationDocumentation#CONNECT} and {@link NetioObservationDocumentation#SUBSCRIBE}. */
@SuppressWarnings("exports") // as of NetioObservations
public final class NetioClientContext extends Observation.Context implements NetioObservationContext {
    private final Facts facts;

    NetioClientContext(Facts facts) {
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
