// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** A party that listens over plain TCP, and sockets of the JDK that connect to it. They are closed after each test. */
abstract class PlainSockets {
    static final byte[] SAID = new byte[48];
    static final int PATIENCE_MILLIS = 60_000;

    final List<Socket> sockets = new ArrayList<>();
    private @Nullable Party server;
    ListenEndpoint listener;

    Party listen(BackendConfig config, ConnectionParameters parameters) {
        Party party = new Party("server", BackendType.TCP, config);
        closes(party);
        listener = party.listen(parameters);
        return party;
    }

    /** Has {@code party} closed after the test. */
    void closes(Party party) {
        server = party;
    }

    Socket socket() throws IOException {
        Socket socket = new Socket("127.0.0.1", Addresses.port(listener.localAddress()));
        sockets.add(socket);
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        return socket;
    }

    @AfterEach
    void stop() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        Party party = server;
        if (party != null) {
            party.close();
        }
    }
}
