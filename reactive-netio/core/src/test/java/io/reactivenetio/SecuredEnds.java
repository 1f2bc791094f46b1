// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.testing.TestCertificates;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** Servers that do not let everybody in, and what they have accepted. They end with each test. */
abstract class SecuredEnds {
    final NetioLoops loops = NetioLoops.create("secured", 2);
    final List<DisposableServer> servers = new ArrayList<>();
    /** Two loops may add to it at once, and neither may wait for a lock. */
    final BlockingQueue<NetioConnection> accepted = new LinkedTransferQueue<>();

    @AfterEach
    void stop() {
        servers.forEach(DisposableServer::dispose);
        loops.dispose();
    }

    static Tls as(TestCertificates own) {
        return Tls.create().certificate(own.certificate(), own.key());
    }

    static Tls trusting(TestCertificates peer) {
        return Tls.create().trust(peer.certificate());
    }

    static ByteBuffer message(int value, int size) {
        return ByteBuffer.allocate(size).putInt(0, value);
    }

    NetioServer server() {
        return NetioServer.create().backend(BackendType.TCP).runOn(loops).doOnConnection(accepted::add);
    }

    NetioClient client(DisposableServer server) {
        return NetioClient.create().backend(BackendType.TCP).runOn(loops).port(server.port());
    }

    DisposableServer bound(NetioServer server) {
        DisposableServer bound = server.bindNow(PATIENCE);
        servers.add(bound);
        return bound;
    }

    NetioConnection accepted() throws InterruptedException {
        return Objects.requireNonNull(accepted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS));
    }

    static void assertRefused(NetioClient client, Class<? extends NetioException> type, String... words) {
        assertThatThrownBy(() -> client.connectNow(PATIENCE)).isInstanceOf(type)
                .satisfies(error -> assertThat(error.getMessage()).contains(words));
    }
}
