// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** What the suites share: a server and a client of the combination. What a {@link Party} checks holds in every test. */
@Timeout(120)
abstract class Contract {
    static final ConnectionParameters SMALL = new ConnectionParameters(1024, 8, 1024, 8);

    final Combination combination;
    Party server;
    Party client;
    private final Deque<Party> parties = new ArrayDeque<>();

    Contract(Combination combination) {
        this.combination = combination;
    }

    @BeforeEach
    void start() {
        server = party("server", SMALL);
        client = party("client", SMALL);
    }

    @AfterEach
    void stop() {
        try {
            while (!parties.isEmpty()) {
                parties.pop().close();
            }
        } finally {
            parties.forEach(party -> party.loop.close()); // one of them failed the test
        }
    }

    /** Shares as many buffers of that size as {@code buffers} has, if the combination shares. Closed after the test. */
    final Party party(String name, ConnectionParameters buffers) {
        return party(name, buffers, config -> config);
    }

    final Party party(String name, ConnectionParameters buffers, UnaryOperator<BackendConfig> change) {
        Party party = new Party(name, combination.type(), change.apply(combination.config(buffers)), combination.io());
        parties.push(party);
        return party;
    }

    /** A new server and a new client, for tests that want other buffers. */
    final void restart(ConnectionParameters ofServer, ConnectionParameters ofClient) {
        stop();
        server = party("server", ofServer);
        client = party("client", ofClient);
    }
}
