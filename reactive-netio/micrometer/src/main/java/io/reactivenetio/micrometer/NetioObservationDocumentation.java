// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micrometer;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/** What {@link NetioObservations} observes, with which names and keys. */
public enum NetioObservationDocumentation implements ObservationDocumentation {
    /** A client connects: from the subscription to {@code connect()} to the connection. */
    CONNECT("netio.connect"),
    /** A {@code NetioSubscriber} is subscribed to tags on one connection, until that ends. */
    SUBSCRIBE("netio.subscribe"),
    /** A requester waits for an answer. Its headers are the peer's to read. */
    REQUEST("netio.request"),
    /** A responder works on an answer. */
    RESPOND("netio.respond");

    /** Keys with few values. */
    public enum LowCardinalityKeys implements KeyName {
        /** What was asked for: a number without sign, such as 7, or several, such as 4096 to 8191. */
        TAG("tag"),
        /** The host name or address of the peer. */
        PEER("peer"),
        /** How it ended: {@code success}, {@code error} or {@code cancelled}, and {@code unknown} before. */
        OUTCOME("outcome");

        private final String key;

        LowCardinalityKeys(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }

    /** Keys with many values. */
    public enum HighCardinalityKeys implements KeyName {
        /** The host and the port of the peer. */
        PEER_ADDRESS("peer.address");

        private final String key;

        HighCardinalityKeys(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }

    private final String title;

    NetioObservationDocumentation(String title) {
        this.title = title;
    }

    /** The name, unless a convention of the registry gives another. */
    String title() {
        return title;
    }

    @Override
    public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
        return DefaultConvention.class;
    }

    @Override
    public KeyName[] getLowCardinalityKeyNames() {
        return this == CONNECT ? new KeyName[] {LowCardinalityKeys.PEER, LowCardinalityKeys.OUTCOME}
                : LowCardinalityKeys.values();
    }

    @Override
    public KeyName[] getHighCardinalityKeyNames() {
        return HighCardinalityKeys.values();
    }
}
