// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micrometer;

import io.reactivenetio.transport.backend.Addresses;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** What the Contexts of all observations have in common. */
final class ObservedOperation {
    private static final String UNKNOWN = "unknown";

    private final NetioObservationDocumentation observation;
    private final String tag;
    private final SocketAddress peer;
    private volatile String outcome = UNKNOWN;

    ObservedOperation(NetioObservationDocumentation observation, String tag, SocketAddress peer) {
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

    SocketAddress peer() {
        return peer;
    }

    /** The peer as a URI, of which handlers of traces take the host and the port; null if it has none. */
    @Nullable String address() {
        return peer instanceof InetSocketAddress ? "netio://" + Addresses.format(peer) : null;
    }

    String outcome() {
        return outcome;
    }

    void ended(String how) {
        outcome = how;
    }
}
