// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micrometer;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.reactivenetio.micrometer.NetioObservationDocumentation.HighCardinalityKeys;
import io.reactivenetio.micrometer.NetioObservationDocumentation.LowCardinalityKeys;
import io.reactivenetio.transport.backend.Addresses;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** The names and key values of an observation, unless the registry has a convention for its Context. */
final class DefaultConvention implements ObservationConvention<Observation.Context> {
    private final NetioObservationDocumentation observation;

    DefaultConvention(NetioObservationDocumentation observation) {
        this.observation = observation;
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof NetioObservationContext ours && ours.observation() == observation;
    }

    @Override
    public String getName() {
        return observation.title();
    }

    /** Returns the name of a span: {@code request 7}. */
    @Override
    public String getContextualName(Observation.Context context) {
        String verb = observation.title().substring(observation.title().indexOf('.') + 1);
        String tag = ours(context).tag();
        return tag.isEmpty() ? verb : verb + " " + tag;
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(Observation.Context context) {
        NetioObservationContext ours = ours(context);
        KeyValues values = KeyValues.of(LowCardinalityKeys.PEER.withValue(host(ours.peer())),
                LowCardinalityKeys.OUTCOME.withValue(ours.outcome()));
        return ours.tag().isEmpty() ? values : values.and(LowCardinalityKeys.TAG.withValue(ours.tag()));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(Observation.Context context) {
        NetioObservationContext ours = ours(context);
        return KeyValues.of(HighCardinalityKeys.PEER_ADDRESS.withValue(Addresses.format(ours.peer())));
    }

    private static String host(SocketAddress peer) {
        return peer instanceof InetSocketAddress inet ? inet.getHostString() : Addresses.format(peer);
    }

    private static NetioObservationContext ours(Observation.Context context) {
        return (NetioObservationContext) context;
    }
}
