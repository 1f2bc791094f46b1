// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micrometer;

import io.reactivenetio.transport.backend.Addresses;
import java.net.InetSocketAddress;

/** What the Contexts of all observations have in common. */
final class ObservedOperation {
    private static final String UNKNOWN = "unknown";

    private final NetioObservationDocumentation observation;
    private final String tag;
    private final InetSocketAddress peer;
    private volatile String outcome = UNKNOWN;

    ObservedOperation(NetioObservationDocumentation observation, String tag, InetSocketAddress peer) {
        this.observation = observation;
        this.tag = tag;
        this.peer = peer;
    }

    NetioObservationDocumentation observation() {
        return observation;
    }

    String tag() {
        return tag;
    }

    InetSocketAddress peer() {
        return peer;
    }

    /** The peer as a URI, of which handlers of traces take the host and the port. */
    String address() {
        return "netio://" + Addresses.format(peer);
    }

    String outcome() {
        return outcome;
    }

    void ended(String how) {
        outcome = how;
    }
}
