// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import static io.reactivenetio.testing.TestSettings.PATIENCE;

import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.framing.raw.RawProvider;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.ConnectionParameters;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** How an attempt to connect ends: always, and told. */
@Timeout(180)
class ConnectingTest {
    private final LoopContext context = LoopContext.start("connecting");

    @AfterEach
    void close() {
        context.close();
    }

    private static ConnectionConfig config(FramingProvider framing) {
        return new ConnectionConfig(BackendType.TCP, BackendConfig.defaults(), ConnectionParameters.defaults(), framing,
                LeasePolicy.COPY, ByteOrder.BIG_ENDIAN);
    }

    @Test
    void shouldTellWhyAnEstablishedConnectionCannotBeUsed() {
        ConnectionConfig raw = config(new RawProvider(false, false));
        ListenerHandle listening = context.listen(new InetSocketAddress("127.0.0.1", 0), raw, List.of(context),
                accepted -> { }, made -> made).block(PATIENCE);
        ConnectionConfig broken = config(new FramingProvider() {
            @Override
            public ConnectionParameters parameters(ConnectionConfig config, boolean connects) {
                return config.outboundParameters();
            }

            @Override
            public Session open(Connection connection) {
                throw new IllegalStateException("no memory, say");
            }
        });
        StepVerifier.create(context.connect(listening.address(), broken)).expectErrorMessage("no memory, say")
                .verify(PATIENCE);
        listening.dispose();
    }

    @Test
    void shouldKeepNoPlaceForAnAttemptThatFindsNoMemory() {
        ConnectionConfig greedy = config(new FramingProvider() {
            @Override
            public ConnectionParameters parameters(ConnectionConfig config, boolean connects) {
                throw new OutOfMemoryError("thrown by a test");
            }

            @Override
            public Session open(Connection connection) {
                throw new AssertionError("there is no connection");
            }
        });
        InetSocketAddress address = new InetSocketAddress("127.0.0.1", 1);
        StepVerifier.create(Flux.range(0, 2 * ConnectQueue.AT_A_TIME).flatMap(i -> context.connect(address, greedy)
                .then(Mono.just("connected")).onErrorResume(failure -> Mono.just(String.valueOf(failure.getMessage()))),
                2 * ConnectQueue.AT_A_TIME)).expectNextCount(2 * ConnectQueue.AT_A_TIME).expectComplete().verify(PATIENCE);
        StepVerifier.create(context.connect(address, config(new RawProvider(false, false))))
                .expectErrorMatches(failure -> String.valueOf(failure.getMessage()).contains("nobody listens"))
                .verify(PATIENCE);
    }
}
