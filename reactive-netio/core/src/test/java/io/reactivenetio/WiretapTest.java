// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.lifecycle.DefaultConnection;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** What goes over a connection is in the log if that is wanted, and goes as ever. */
@Timeout(180)
class WiretapTest extends TwoEnds {
    private static final String SERVER = "tapped-server";
    private static final String CLIENT = "tapped-client";
    private static final String HELLO = "5 B: 68 65 6c 6c 6f |hello|";

    static { // before there are these loggers
        System.setProperty("org.slf4j.simpleLogger.log." + SERVER, "debug");
        System.setProperty("org.slf4j.simpleLogger.log." + CLIENT, "debug");
    }

    private void tapped(BackendType backend, Framing framing, int bytes) {
        connect(backend, s -> s.framing(framing).receiveBuffers(4096, 16).sendBuffers(4096, 16).wiretap(SERVER, bytes),
                c -> c.framing(framing).receiveBuffers(4096, 16).sendBuffers(4096, 16).wiretap(CLIENT, bytes));
    }

    private String logged(Consumer<NetioConnection> action) {
        try (Warnings log = new Warnings()) {
            action.accept(client);
            client.dispose();
            server.onDispose().block(PATIENCE);
            client.onDispose().block(PATIENCE);
            return log.text();
        }
    }

    private static ByteBuffer hello() {
        return StandardCharsets.UTF_8.encode("hello");
    }

    private void exchange(NetioConnection connection) {
        StepVerifier receiving = StepVerifier.create(server.receive().take(1)).expectNext(hello()).expectComplete().verifyLater();
        connection.send(Mono.just(hello())).block(PATIENCE);
        receiving.verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldShowFramesOfStreams(BackendType backend) {
        tapped(backend, Framing.stream(), 64);
        String log = logged(this::exchange);
        assertThat(log).containsPattern("DEBUG tapped-client - endpoint \\d+ to .* sends \\d+ B\n  data page, returns 0 data")
                .containsPattern("DEBUG tapped-server - endpoint \\d+ from .* receives ")
                .containsPattern("  DATA stream 0.* status 0, " + Pattern.quote(HELLO))
                .containsPattern("  REQUEST stream 0 n 1\n").contains("  CANCEL stream 0\n")
                .contains("is closed, ");
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldShowMessagesOfPages(BackendType backend) {
        tapped(backend, Framing.page(), 3);
        StepVerifier receiving = StepVerifier.create(server.receiveTagged().take(1).map(TaggedMessage::tag)).expectNext(9L)
                .expectComplete().verifyLater();
        String log = logged(connection -> {
            connection.sendTagged(Mono.just(new TaggedMessage(9, 2, hello()))).block(PATIENCE);
            receiving.verify(PATIENCE);
        });
        assertThat(log).contains("  message tag 9 status 2, 5 B: 68 65 6c |hel| …\n");
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldShowBuffers(BackendType backend) {
        tapped(backend, Framing.raw(), 64);
        assertThat(logged(this::exchange)).contains(" sends 5 B\n  message, " + HELLO)
                .contains(" receives 5 B\n  message, " + HELLO);
    }

    /** Of a message of 1 MiB in many pages, and of a page with more messages than are told. */
    @Test
    void shouldShowSomeOfMuch() {
        tapped(BackendType.TCP, Framing.stream(), 0);
        byte[] large = new byte[1 << 20];
        for (int i = 0; i < large.length; i++) {
            large[i] = (byte) (i * 31);
        }
        StepVerifier receiving = StepVerifier.create(server.receive()).expectNext(ByteBuffer.wrap(large))
                .expectNextCount(2_000).expectComplete().verifyLater();
        String log = logged(connection -> {
            connection.send(Flux.range(-1, 2_001).map(n -> n < 0 ? ByteBuffer.wrap(large) : hello())).block(PATIENCE);
            connection.completeOutbound().block(PATIENCE);
            receiving.verify(PATIENCE);
        });
        assertThat(log).contains(", first part of 1048576 B").contains(", last part").containsPattern("  and \\d+ more\n")
                .doesNotContain("|hello|");
    }

    @Test
    void shouldStandAsideWhereNobodyListens() {
        assumeFalse(TestSettings.TLS, "TLS is between the connection and its backend");
        connect(BackendType.TCP, s -> s.wiretap(true).wiretap(false), c -> c.wiretap(true)); // whose logger has no DEBUG
        for (NetioConnection each : new NetioConnection[] {client, server}) {
            assertThat(DefaultConnection.of(each).engine().backend().getClass().getSimpleName()).isEqualTo("TcpBackend");
        }
        exchange(client);
    }

    @Test
    void shouldShowWhatCannotBeRead() throws Exception {
        CompletableFuture<NetioConnection> accepted = new CompletableFuture<>();
        int port = NetioServer.create().backend(BackendType.TCP).framing(Framing.page()).runOn(loops).wiretap(SERVER, 4)
                .doOnConnection(accepted::complete).bindNow(PATIENCE).port();
        try (Warnings log = new Warnings(); Socket peer = new Socket(InetAddress.getLoopbackAddress(), port)) {
            NetioConnection connection = accepted.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
            StepVerifier receiving = StepVerifier.create(connection.receive()).expectError(NetioProtocolException.class)
                    .verifyLater();
            peer.getOutputStream().write(new byte[] {5, 0, 0, 0, 1, 2, 3, 0, '!'});
            receiving.verify(PATIENCE);
            connection.onDispose().onErrorComplete().block(PATIENCE);
            assertThat(log.text()).contains("receives 5 B, of which this cannot be read: malformed page")
                    .contains("  bytes, 5 B: 01 02 03 00 |....| …\n");
        }
    }

    @Test
    void shouldRefuseFewerThanNoBytes() {
        assertThatThrownBy(() -> NetioClient.create().wiretap(CLIENT, -1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must not be negative: -1");
    }
}
