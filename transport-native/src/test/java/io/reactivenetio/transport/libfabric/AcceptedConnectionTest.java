// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.backend.BackendCallbacks;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.Capabilities;
import io.reactivenetio.transport.backend.ConnectionData;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.exceptions.NetioException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The accepting side of a connection, with what a version of libfabric may tell it. */
@Timeout(60)
class AcceptedConnectionTest {
    private final CompletableFuture<Endpoint> accepted = new CompletableFuture<>();

    private final class Callbacks implements BackendCallbacks {
        @Override
        public void onConnectionEstablished(Endpoint endpoint, Capabilities capabilities) {
            if (endpoint.listenEndpoint() != null) {
                accepted.complete(endpoint);
            }
        }

        @Override
        public void onConnectionRefused(Endpoint endpoint, NetioException reason) {
            accepted.completeExceptionally(reason);
        }
    }

    /** fi_eq(3): no user data is provided on the listening side. libfabric 2.2 and later give it its own answer back. */
    @Test
    void shouldNotTakeItsOwnAnswerForWhatThePeerSaid() throws Exception {
        byte[] question = {1, 2, 3};
        byte[] answer = {4, 5, 6, 7};
        ConnectionParameters parameters = ConnectionParameters.defaults();
        try (EventLoop loop = EventLoop.create("accepting")) {
            NetworkBackend backend = NetworkBackend.create(BackendType.LIBFABRIC, BackendConfig.defaults(), loop,
                    new Callbacks());
            loop.start();
            CompletableFuture.runAsync(() -> {
                SocketAddress address = backend.openListenEndpoint(new InetSocketAddress("127.0.0.1", 0),
                        parameters.withData(ConnectionData.of(answer)), null).localAddress();
                backend.openActiveEndpoint(address, parameters.withData(ConnectionData.of(question)));
            }, loop).get(20, TimeUnit.SECONDS);
            Endpoint endpoint = accepted.get(20, TimeUnit.SECONDS);
            CompletableFuture.runAsync(() -> ((ActiveEndpoint) endpoint.implementation()).onConnected(answer), loop)
                    .get(20, TimeUnit.SECONDS);
            assertThat(endpoint.peerData().bytes()).startsWith(question);
        }
    }
}
