// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micrometer;

import static io.reactivenetio.testing.TestSettings.PATIENCE;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;

/** A client and what a server has made of it, as in the core's tests. They end with their loops. */
abstract class TwoEnds {
    final NetioLoops loops = NetioLoops.create("ends", 2);
    NetioConnection client;
    NetioConnection server;

    void connect(BackendType backend, UnaryOperator<NetioServer> onServer, UnaryOperator<NetioClient> onClient) {
        CompletableFuture<NetioConnection> accepted = new CompletableFuture<>();
        DisposableServer listening = onServer.apply(NetioServer.create().backend(backend).provider(TestSettings.PROVIDER)
                .host(TestSettings.ADDRESS).runOn(loops)).doOnConnection(accepted::complete).bindNow(PATIENCE);
        client = onClient.apply(NetioClient.create().backend(backend).provider(TestSettings.PROVIDER).host(TestSettings.ADDRESS)
                .runOn(loops)).port(listening.port()).connectNow(PATIENCE);
        server = accepted.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        listening.dispose();
    }

    static ByteBuffer number(long n) {
        return ByteBuffer.allocate(Long.BYTES).putLong(0, n);
    }

    @AfterEach
    void stop() {
        loops.dispose();
    }
}
