// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** Both ends of a connection on one set of queues. */
final class ConnectedPair implements AutoCloseable {
    final Loopback loopback = new Loopback();
    final FiPassiveEndpoint listener = loopback.listener();
    final InetSocketAddress where = listener.name();
    final FiEndpoint client;
    final FiEndpoint server;
    final FiMemoryRegion region = loopback.domain.register(loopback.memory, Fi.FI_SEND | Fi.FI_RECV, 1);
    byte[] requestData = {};
    byte[] acceptData = {};

    ConnectedPair() {
        try (FiInfo destination = loopback.destination(where)) {
            client = loopback.endpoint(destination);
            client.connect(destination, "hello".getBytes(StandardCharsets.UTF_8));
        }
        loopback.expectEvent(Fi.FI_CONNREQ);
        assertThat(loopback.events.fid()).isEqualTo(listener.address());
        requestData = loopback.events.data();
        try (FiInfo request = loopback.events.takeInfo()) {
            assertThat(request.handle()).isNotZero();
            assertThat(request.destAddress().getAddress()).isEqualTo(where.getAddress());
            server = loopback.endpoint(request);
        }
        assertThat(loopback.events.takeInfo()).isNull();
        server.accept("welcome".getBytes(StandardCharsets.UTF_8));
        for (int i = 0; i < 2; i++) {
            loopback.expectEvent(Fi.FI_CONNECTED);
            if (loopback.events.fid() == client.address()) {
                acceptData = loopback.events.data();
            } else {
                assertThat(loopback.events.fid()).isEqualTo(server.address());
            }
        }
    }

    long at(long offset) {
        return loopback.memory.address() + offset;
    }

    @Override
    public void close() {
        client.close();
        server.close();
        listener.close();
        region.close();
        loopback.close();
    }
}
