// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.testing.TestCertificates;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;

/** A client and what a server has made of it, over loopback or where {@link TestSettings} says. They end with each test. */
abstract class TwoEnds {
    final NetioLoops loops;
    final List<NetioConnection> connections = new ArrayList<>();
    NetioConnection client;
    NetioConnection server;

    TwoEnds() {
        this(2);
    }

    TwoEnds(int number) {
        loops = NetioLoops.create("ends", number);
    }

    /** What {@link #connected} has made. */
    record Connected(NetioConnection client, NetioConnection server) { }

    /** Nobody listens any more afterwards. */
    static Connected connected(NetioLoops loops, BackendType backend, UnaryOperator<NetioServer> onServer,
            UnaryOperator<NetioClient> onClient) {
        CompletableFuture<NetioConnection> accepted = new CompletableFuture<>();
        DisposableServer listening = onServer.apply(common(NetioServer.create(), backend, loops))
                .doOnConnection(accepted::complete).bindNow(PATIENCE);
        try {
            NetioConnection client = onClient.apply(common(NetioClient.create(), backend, loops)).port(listening.port())
                    .connectNow(PATIENCE);
            return new Connected(client, accepted.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join());
        } finally {
            listening.dispose();
        }
    }

    private static <T extends NetioTransport<T>> T common(T transport, BackendType backend, NetioLoops loops) {
        T plain = transport.backend(backend).provider(TestSettings.PROVIDER).host(TestSettings.ADDRESS).runOn(loops);
        return TestSettings.TLS ? plain.secure(tls()) : plain;
    }

    /** What both sides need to trust each other. */
    static Tls tls() {
        TestCertificates own = TestCertificates.local();
        return Tls.create().certificate(own.certificate(), own.key()).trust(own.certificate());
    }

    void connect(BackendType backend, UnaryOperator<NetioServer> onServer, UnaryOperator<NetioClient> onClient) {
        Connected ends = connected(loops, backend, onServer, onClient);
        client = ends.client;
        server = ends.server;
        connections.add(client);
        connections.add(server);
    }

    /** Both with pages of {@code size} bytes, {@code number} in each direction. */
    void connect(BackendType backend, int size, int number, UnaryOperator<NetioClient> onClient) {
        connect(backend, listening -> listening.receiveBuffers(size, number).sendBuffers(size, number),
                connecting -> onClient.apply(connecting.receiveBuffers(size, number).sendBuffers(size, number)));
    }

    @AfterEach
    void stop() {
        connections.forEach(NetioConnection::dispose);
        loops.dispose();
    }
}
