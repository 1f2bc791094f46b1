// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import io.reactivenetio.transport.BackendConfig;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.ConnectionParameters;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.test.StepVerifier;

/** How an attempt to connect ends: always, and told. */
@Timeout(180)
class ConnectingTest {
    private final LoopContext context = LoopContext.start("connecting");

    @AfterEach
    void close() {
        context.close();
    }

    private static FlowConfig config(Framing framing) {
        return new FlowConfig(BackendType.ASYNCMSG, BackendConfig.defaults(), ConnectionParameters.defaults(), framing,
                AtLeaseCap.COPY);
    }

    @Test
    void shouldTellWhyAnEstablishedConnectionCannotBeUsed() {
        FlowConfig raw = config(new RawFraming(false, false));
        Listening listening = context.listen(new InetSocketAddress("127.0.0.1", 0), raw, List.of(context),
                accepted -> { }, made -> made).block(Duration.ofSeconds(10));
        FlowConfig broken = config(new Framing() {
            @Override
            public ConnectionParameters parameters(FlowConfig config, boolean connects) {
                return config.outboundParameters();
            }

            @Override
            public Traffic open(ConnectionFlow connection) {
                throw new IllegalStateException("no memory, say");
            }
        });
        StepVerifier.create(context.connect(listening.address(), broken)).expectErrorMessage("no memory, say")
                .verify(Duration.ofSeconds(10));
        listening.dispose();
    }
}
