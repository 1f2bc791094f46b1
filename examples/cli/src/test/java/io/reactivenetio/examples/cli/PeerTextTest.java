// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A peer's text does nothing to the terminal that it is printed on. */
@Timeout(180)
class PeerTextTest {
    private static final String SENT = "gone\r\nnetio: all is well \033[2J\033]0;title\007 \u202eevil";
    private static final String SHOWN =
            "gone\\u000d\\u000anetio: all is well \\u001b[2J\\u001b]0;title\\u0007 \\u202eevil";

    private static IllegalStateException failure() {
        return new IllegalStateException(SENT);
    }

    private static void expectShown(NetioProcess process) {
        assertThat(process.exitCode()).as(process.err()).isEqualTo(1);
        assertThat(process.problems()).hasSize(1);
        assertThat(process.problems().getFirst()).startsWith("netio: ").contains(SHOWN);
        assertThat(process.err()).doesNotContain("\033", "\007", "\u202e", "\r");
        assertThat(process.out()).isEmpty();
    }

    private static NetioServer server() {
        return NetioServer.create().backend(BackendType.TCP).host(TestSettings.ADDRESS);
    }

    private static String address(DisposableServer server) {
        return TestSettings.ADDRESS + ":" + server.port();
    }

    @Test
    void shouldShowASendersFailureEscaped() {
        try (NetioProcess recv = NetioProcess.receiver("--backend", "tcp")) {
            NetioConnection connection = NetioClient.create().backend(BackendType.TCP).host(TestSettings.ADDRESS)
                    .port(Integer.parseInt(recv.address().replaceAll(".*:", "")))
                    .handle((in, out) -> out.send(Mono.just(ByteBuffer.allocate(8))).then(Mono.error(failure())))
                    .connect().block(PATIENCE);
            expectShown(recv);
            connection.dispose();
        }
    }

    @Test
    void shouldShowAPublishersFailureEscaped() {
        NetioPublisher publisher = NetioPublisher.create().publish(7, Flux.<ByteBuffer>error(failure()));
        DisposableServer server = publisher.serve(server()).bindNow();
        try (NetioProcess subscribe = NetioProcess.start("subscribe", "--backend", "tcp", "--to", address(server),
                "--tag", "7")) {
            expectShown(subscribe);
        } finally {
            publisher.dispose();
            server.disposeNow(PATIENCE);
        }
    }
}
