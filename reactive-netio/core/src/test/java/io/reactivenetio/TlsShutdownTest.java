// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.transport.BackendType;
import java.net.Socket;
import java.security.cert.X509Certificate;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loops that end during TLS handshakes. */
@Timeout(120)
class TlsShutdownTest {
    private final NetioLoops loops = NetioLoops.create("tls", 1);

    @AfterEach
    void stop() {
        loops.dispose();
    }

    /** Trusts everybody, in its own time. */
    private static final class Slow extends X509ExtendedTrustManager {
        final CountDownLatch asked = new CountDownLatch(1);
        final CountDownLatch ended = new CountDownLatch(1);

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
            asked.countDown();
            assertThat(Eventually.within(PATIENCE, () -> ended.getCount() == 0)).isTrue();
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {
            throw new IllegalStateException("sockets are not used");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {
            throw new IllegalStateException("sockets are not used");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
            throw new IllegalStateException("it is the client's");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {
            throw new IllegalStateException("it is the client's");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {
            throw new IllegalStateException("it is the client's");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    /** A worker has the engine when the loop ends, or nobody has. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldTellWhoConnects(boolean working) throws Exception {
        Slow trust = new Slow();
        SSLContext slow = SSLContext.getInstance("TLS");
        slow.init(null, new TrustManager[] {trust}, null);
        NetioServer plain = NetioServer.create().backend(BackendType.TCP).framing(Framing.raw()).runOn(loops);
        DisposableServer server = (working ? plain.secure(TwoEnds.tls()) : plain).bindNow(PATIENCE);
        NetioLoops own = NetioLoops.create("own", 1);
        CompletableFuture<NetioConnection> connecting = NetioClient.create().backend(BackendType.TCP).framing(Framing.raw())
                .port(server.port()).runOn(own).secure(Tls.of(slow)).connectTimeout(PATIENCE).connect().toFuture();
        if (working) {
            assertThat(trust.asked.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
        own.dispose();
        trust.ended.countDown();
        assertThatThrownBy(() -> connecting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
        server.dispose();
    }
}
