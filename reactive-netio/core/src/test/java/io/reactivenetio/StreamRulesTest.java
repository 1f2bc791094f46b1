// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioStream;
import io.reactivenetio.api.Tags;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import io.reactivenetio.wire.FrameWriter;
import io.reactivenetio.wire.Handshake;
import io.reactivenetio.wire.ProtocolException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** A connection holds its peer to the rules of docs/wire-format.md, and keeps to them where the peer gives it little room. */
@Timeout(180)
class StreamRulesTest {
    private static final int CONNECTION = -1;

    private final NetioLoops loops = NetioLoops.create("rules", 1);
    private final CompletableFuture<NetioConnection> accepted = new CompletableFuture<>();

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private int listen(UnaryOperator<NetioServer> options) {
        return options.apply(NetioServer.create().backend(BackendType.TCP).receiveBuffers(1024, 8).sendBuffers(1024, 8)
                .runOn(loops)).doOnConnection(accepted::complete).bindNow().port();
    }

    private NetioConnection server() {
        return accepted.orTimeout(30, TimeUnit.SECONDS).join();
    }

    private static ByteBuffer bytes(int size) {
        return ByteBuffer.allocate(size);
    }

    private static Consumer<FrameWriter> subscribe(int... streams) {
        return page -> Arrays.stream(streams).forEach(stream -> {
            page.subscribe(stream, Tags.of(stream), null);
            page.request(stream, 10);
        });
    }

    /** What fails a stream that two messages are asked of, and the connection with it. */
    @Test
    void shouldFailAStreamWhosePeerBreaksTheRules() throws IOException {
        Map<String, List<Consumer<FrameWriter>>> wrong = Map.of(
                "stream 0 is complete after 2 messages, and 1 have arrived", List.of(page -> {
                    page.message(0, bytes(5));
                    page.complete(0, 2);
                }),
                "stream 0 is complete after 0 messages, and 1 have arrived", List.of(page -> {
                    page.message(0, bytes(5));
                    page.complete(0, 0);
                }),
                "stream 0 is complete after 0 messages, and 0 have arrived whole",
                List.of(page -> page.firstPart(0, bytes(2000)), page -> page.complete(0, 0)),
                "a message on stream 0 that was not asked for", List.of(page -> {
                    for (int i = 0; i < 3; i++) {
                        page.message(0, bytes(5));
                    }
                }),
                "a message for stream 3, which is not open", List.of(page -> page.message(3, bytes(5))),
                "a completion for stream 3, which is not open", List.of(page -> page.complete(3, 0)));
        for (Map.Entry<String, List<Consumer<FrameWriter>>> each : wrong.entrySet()) {
            CompletableFuture<NetioConnection> connected = new CompletableFuture<>();
            int port = listen(server -> server.doOnConnection(connected::complete));
            try (StreamPeer peer = new StreamPeer(port, 4, 10_000)) {
                StepVerifier receiver = StepVerifier.create(connected.orTimeout(30, TimeUnit.SECONDS).join().receive(), 2)
                        .thenConsumeWhile(message -> true).expectErrorSatisfies(error -> assertThat(error)
                                .isInstanceOf(NetioProtocolException.class).hasMessageContaining(each.getKey())).verifyLater();
                assertThat(peer.next()).isEqualTo("REQUEST 0 2");
                for (Consumer<FrameWriter> page : each.getValue()) {
                    peer.send(0, 0, page);
                }
                receiver.verify(PATIENCE);
                assertThat(peer.next()).startsWith("ERROR " + CONNECTION + " 6 ").contains(each.getKey());
                assertThat(peer.isClosed()).isTrue();
            }
        }
    }

    @Test
    void shouldEndAConnectionWhosePeerOpensMoreStreamsThanItMay() throws IOException {
        try (StreamPeer peer = new StreamPeer(listen(server -> server.framing(Framing.stream().maxStreams(3))), 4, 10_000)) {
            peer.send(0, 0, subscribe(1, 2, 3));
            peer.send(0, 0, page -> page.cancel(2));
            assertThat(peer.next()).isEqualTo("ERROR 2 1 cancelled");
            peer.send(0, 1, subscribe(2, 4));
            assertThat(peer.next()).startsWith("ERROR " + CONNECTION + " 6 SUBSCRIBE of stream 4").contains("3 streams are open");
            assertThat(peer.isClosed()).isTrue();
        }
    }

    /** The first part of a message says what its peer has to reserve, and that is free with the end of another stream only. */
    @Test
    void shouldNotBeginAMessageBeforeTheEndThatMakesRoomForIt() throws IOException {
        try (StreamPeer peer = new StreamPeer(listen(server -> server), 1, 3000)) {
            for (int tag = 1; tag <= 2; tag++) {
                server().stream(tag).send(Flux.just(bytes(3000))).subscribe(nothing -> { }, error -> { });
            }
            peer.send(0, 0, subscribe(1, 2));
            String first = peer.next();
            assertThat(first).startsWith("DATA ");
            int begun = Integer.parseInt(first.split(" ")[1]);
            for (int i = 1; i <= 3; i++) { // until no control credit is left
                int value = i;
                peer.send(0, 0, page -> page.ping(value));
                assertThat(peer.next()).isEqualTo("PONG " + i);
            }
            peer.send(1, 0, page -> page.cancel(begun));
            peer.send(0, 3, page -> { });
            assertThat(peer.next()).isEqualTo("ERROR " + begun + " 1 cancelled");
            assertThat(peer.next()).isEqualTo("PING 1"); // its PONG tells what had arrived
            assertThat(peer.next()).startsWith("DATA " + (3 - begun) + " ");
        }
    }

    @Test
    void shouldCompleteAStreamWhosePeerHoldsAllItsPages() throws IOException {
        try (StreamPeer peer = new StreamPeer(listen(server -> server), 1, 3000)) {
            Sinks.Many<ByteBuffer> source = Sinks.many().unicast().onBackpressureBuffer();
            NetioStream stream = server().stream(1);
            stream.completion(SendCompletion.TRANSMITTED).send(source.asFlux()).then(stream.completeOutbound())
                    .subscribe(nothing -> { }, error -> { });
            peer.send(0, 0, subscribe(1));
            source.tryEmitNext(bytes(7)).orThrow();
            assertThat(peer.next()).isEqualTo("DATA 1 7");
            source.tryEmitComplete().orThrow();
            assertThat(peer.next()).isEqualTo("COMPLETE 1 1");
        }
    }

    private static byte[] handshake(int lowest, int highest) {
        ByteBuffer said = ByteBuffer.allocate(Handshake.SIZE);
        new Handshake(Handshake.Role.CONNECTS, 1, 1, Handshake.STREAM, 0, 0, 1024, 4, 3, 1, 1, 1, 0).encode(said);
        return said.put(4, (byte) lowest).put(5, (byte) highest).array();
    }

    @Test
    void shouldCloseAConnectionWhosePeerIsLaterThanTheShutdown() throws IOException {
        DisposableServer server = NetioServer.create().backend(BackendType.TCP).runOn(loops)
                .doOnConnection(accepted::complete).bindNow();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout((int) PATIENCE.toMillis());
            socket.getInputStream().readNBytes(Handshake.SIZE); // what the server says first
            server.shutdown(PATIENCE).block(PATIENCE);
            socket.getOutputStream().write(handshake(1, 1));
            assertThat(socket.getInputStream().readAllBytes()).hasSizeLessThan(1024);
            Link.await(() -> server.connections() == 0, () -> server.connections() + " connections");
            assertThat(accepted).isNotDone();
        }
    }

    @Test
    void shouldTellBothSidesWhyTheyDoNotGoTogether() throws Exception {
        Map<byte[], String> wrong = Map.of(handshake(2, 3), "the peer speaks versions 2 to 3",
                "GET / HTTP/1.1\r\nHost: somewhere.example\r\nAccept: */*\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                "are not a handshake of reactive-netio");
        int port = listen(server -> server);
        for (Map.Entry<byte[], String> each : wrong.entrySet()) {
            try (Warnings warnings = new Warnings()) {
                byte[] answer = StreamPeer.answerTo(port, each.getKey());
                assertThat(Handshake.decode(ByteBuffer.wrap(answer)).role()).isEqualTo(Handshake.Role.ACCEPTS);
                Link.await(() -> warnings.text().contains(each.getValue()), warnings::text);
            }
            refused(each.getKey(), each.getValue());
        }
    }

    /** What a client says that is answered so. */
    private void refused(byte[] answer, String text) throws IOException, ProtocolException {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<NetioConnection> connecting = NetioClient.create().backend(BackendType.TCP).runOn(loops)
                    .port(listener.getLocalPort()).connect().toFuture();
            try (Socket socket = listener.accept()) {
                byte[] said = socket.getInputStream().readNBytes(Handshake.SIZE);
                assertThat(Handshake.decode(ByteBuffer.wrap(said)).role()).isEqualTo(Handshake.Role.CONNECTS);
                socket.getOutputStream().write(answer);
                assertThatThrownBy(() -> connecting.get(30, TimeUnit.SECONDS))
                        .hasCauseInstanceOf(NetioProtocolException.class).hasMessageContaining(text);
            }
        }
    }
}
