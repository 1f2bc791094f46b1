// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioInbound;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioOutbound;
import io.reactivenetio.NetioRegion;
import io.reactivenetio.NetioServer;
import io.reactivenetio.NetioSubscriber;
import io.reactivenetio.RawEnd;
import io.reactivenetio.TaggedMessage;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.NetioAbortedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The guide says what is compiled here, and that works. */
@Timeout(60)
class GuideTest {

    @ParameterizedTest
    @CsvSource({"Beginning, 3", "Living, 4", "Receiving, 3", "Sending, 4", "Streaming, 4", "Paging, 2", "Publishing, 2",
                "Asking, 2"})
    void shouldShowTheSnippetsThatAreCompiledHere(String file, int snippets) throws IOException {
        String guide = Files.readString(Path.of("../../docs/guide.md"));
        String source = Files.readString(Path.of("src/main/java/io/reactivenetio/examples/" + file + ".java"));
        List<String> parts = Arrays.asList(source.split("    // guide( end)?\n"));
        assertThat(parts).hasSize(snippets + 2);
        for (String part : parts.subList(1, snippets + 1)) {
            String snippet = part.strip().lines().map(line -> line.startsWith("    ") ? line.substring(4) : line)
                    .collect(Collectors.joining("\n")).replaceFirst("^static ", "");
            assertThat(guide).contains("```java\n" + snippet + "\n```");
        }
    }

    @Test
    void shouldBeginAsTheGuideSays() {
        var server = Beginning.greeter().bindNow();
        try {
            assertThat(Beginning.greetings(server.port()).collectList().block(Duration.ofSeconds(30)))
                    .hasSize(10).startsWith("event 1").endsWith("event 10");
        } finally {
            server.dispose();
        }
    }

    @Test
    void shouldStoreWhatIsReceivedAtItsPace() {
        assertThat(received(in -> Beginning.stored(in, n -> Mono.delay(Duration.ofMillis(1)).thenReturn(n))))
                .hasSize(100).startsWith(1L, 2L).endsWith(100L);
    }

    @Test
    void shouldLiveAsTheGuideSays() {
        var loops = NetioLoops.create("guide", 1);
        var server = NetioServer.create().backend(BackendType.ASYNCMSG).runOn(loops)
                .doOnConnection(connection -> Living.sendHeartbeats(connection).subscribe(nothing -> { }, error -> { }))
                .bindNow();
        var client = NetioClient.create().backend(BackendType.ASYNCMSG).port(server.port());
        AtomicInteger connections = new AtomicInteger();
        Flux<Long> three = Living.forEver(client.doOnConnected(connection -> {
            if (connections.incrementAndGet() == 1) {
                connection.dispose(); // lost as soon as it is there
            }
        })).take(3);
        assertThat(three.collectList().block(Duration.ofSeconds(30))).hasSize(3).isSorted();
        assertThat(connections.get()).isEqualTo(2);
        var connection = client.connectNow();
        assertThat(Living.analysed(connection, n -> n < 0 ? -1 : 1L).take(5).collectList().block(Duration.ofSeconds(30)))
                .containsExactly(1L, 1L, 1L, 1L, 1L);
        connection.dispose();
        Living.stop(server, loops).block(Duration.ofSeconds(30));
        assertThat(loops.isDisposed()).isTrue();
    }

    @Test
    void shouldStreamAsTheGuideSays() {
        var tagged = NetioServer.create().backend(BackendType.ASYNCMSG)
                .doOnConnection(connection -> Streaming.serve(connection, Flux.just(ByteBuffer.allocate(1)),
                        Flux.just(ByteBuffer.allocate(2), ByteBuffer.allocate(3))).subscribe(nothing -> { }, error -> { }))
                .bindNow();
        var connection = NetioClient.create().backend(BackendType.ASYNCMSG).port(tagged.port())
                .connectNow();
        try {
            assertThat(Streaming.readTemperatures(connection).map(ByteBuffer::remaining).collectList()
                    .block(Duration.ofSeconds(30))).containsExactly(2, 3);
        } finally {
            connection.dispose();
            tagged.dispose();
        }
    }

    @Test
    void shouldPackPagesAsTheGuideSays() {
        Flux<TaggedMessage> fragments = Flux.range(0, 1_000).map(n -> TaggedMessage.of(n % 3, ByteBuffer.allocate(n % 7)));
        var server = Paging.readout(fragments).backend(BackendType.ASYNCMSG).bindNow();
        var connection = NetioClient.create().backend(BackendType.ASYNCMSG).framing(Framing.PAGE).rawEnd(RawEnd.PEER_CLOSE)
                .port(server.port()).connectNow();
        try {
            assertThat(Paging.bytesPerLink(connection).block(Duration.ofSeconds(30))).isEqualTo(fragments
                    .collect(HashMap::new, (HashMap<Long, Long> sums, TaggedMessage m) ->
                            sums.merge(m.tag(), (long) m.payload().remaining(), Long::sum)).block());
        } finally {
            connection.dispose();
            server.dispose();
        }
    }

    @Test
    void shouldTakeTheFirstThousandAsTheGuideSays() {
        var server = Streaming.detector(Flux.range(0, 100_000).map(n -> ByteBuffer.allocate(8).putLong(0, n))).bindNow();
        try {
            assertThat(Streaming.firstThousand(server.port()).block(Duration.ofSeconds(30))).isEqualTo(1_000);
        } finally {
            server.dispose();
        }
    }

    private static List<Long> received(Function<NetioInbound, Flux<Long>> receiver) {
        var server = NetioServer.create().backend(BackendType.ASYNCMSG)
                .handle((in, out) -> out.send(Flux.range(1, 100).map(n -> ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(n).putLong(1_000).flip())).then(out.completeOutbound())).bindNow();
        var connection = NetioClient.create().backend(BackendType.ASYNCMSG).port(server.port()).connectNow();
        try {
            return receiver.apply(connection).collectList().block(Duration.ofSeconds(30));
        } finally {
            connection.dispose();
            server.dispose();
        }
    }

    /** What the peer gets of what {@code sender} sends. */
    private static List<Long> sent(NetioRegion region, NetioServer from, Function<NetioOutbound, Mono<Void>> sender) {
        var server = from.backend(BackendType.ASYNCMSG).framing(Framing.RAW).rawEnd(RawEnd.EMPTY_MESSAGE).region(region)
                .handle((in, out) -> sender.apply(out).then(out.completeOutbound())).bindNow();
        var connection = NetioClient.create().backend(BackendType.ASYNCMSG).framing(Framing.RAW).rawEnd(RawEnd.EMPTY_MESSAGE)
                .port(server.port()).connectNow();
        try {
            return connection.receive(ByteBuffer::getLong).collectList().block(Duration.ofSeconds(30));
        } finally {
            connection.dispose();
            server.dispose();
        }
    }

    private static Flux<Long> numbers() {
        return Flux.range(0, 1_000).map(Long::valueOf);
    }

    private static Flux<ByteBuffer> messages() {
        return numbers().map(n -> ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(n).flip());
    }

    @Test
    void shouldSendAsTheGuideSays() {
        List<Long> expected = numbers().collectList().block();
        try (NetioRegion region = NetioRegion.allocate(1 << 16)) {
            NetioServer plain = NetioServer.create();
            assertThat(sent(region, plain, out -> Sending.send(out, messages(), lost -> { }))).isEqualTo(expected);
            assertThat(sent(region, plain, out -> Sending.report(out, messages()))).isEqualTo(expected);
            assertThat(sent(region, plain, out -> Sending.sendInPlace(out, region, numbers()))).isEqualTo(expected);
            assertThat(sent(region, Sending.forManyConnections(), out -> out.send(messages()))).isEqualTo(expected);
        }
    }

    @Test
    void shouldCountWhatIsLost() {
        AtomicLong lost = new AtomicLong();
        var server = NetioServer.create().backend(BackendType.ASYNCMSG).handle((in, out) -> in.receive().then()).bindNow();
        var connection = NetioClient.create().backend(BackendType.ASYNCMSG).port(server.port()).connectNow();
        assertThatThrownBy(() -> Sending.send(connection, messages().doOnNext(m -> connection.dispose()), lost::set)
                .block(Duration.ofSeconds(30))).isInstanceOf(NetioAbortedException.class);
        assertThat(lost.get()).isPositive();
        server.dispose();
    }

    @Test
    void shouldSumInPlace() {
        assertThat(received(Receiving::sums)).hasSize(100).startsWith(1_001L, 1_002L);
    }

    @Test
    void shouldReadLeasesOnAnotherThread() {
        assertThat(received(Receiving::firstElsewhere)).hasSize(100).startsWith(1L, 2L);
    }

    @Test
    void shouldPublishAndSubscribe() {
        Flux<ByteBuffer> hits = Flux.range(1, 1_000).map(n -> ByteBuffer.allocate(8).putLong(0, n));
        var server = Publishing.publisher(hits, Flux.never())
                .serve(NetioServer.create().backend(BackendType.ASYNCMSG)).bindNow();
        var client = NetioClient.create().backend(BackendType.ASYNCMSG).port(server.port());
        try {
            var all = Publishing.hits(client, missed -> { }).collectList().block(Duration.ofSeconds(30));
            assertThat(all).hasSize(1_000).allMatch(message -> message.tag() == 7 && message.status() == 0);
            assertThat(NetioSubscriber.create(client).subscribe(8).count().block(Duration.ofSeconds(30))).isEqualTo(100);
        } finally {
            server.dispose();
        }
    }

    @Test
    void shouldAskAndAnswerAsTheGuideSays() {
        var server = Asking.configuration(key -> key.equals("none") ? Mono.empty() : Mono.just(key + key))
                .backend(BackendType.ASYNCMSG).bindNow();
        var client = NetioClient.create().backend(BackendType.ASYNCMSG).port(server.port());
        try {
            assertThat(Asking.settings(client, Flux.just("a", "none", "b")).collectList().block(Duration.ofSeconds(30)))
                    .containsExactly("a=aa", "b=bb");
        } finally {
            server.dispose();
        }
    }

    @Test
    void shouldShareOneInbound() {
        assertThat(received(in -> {
            Flux<Long> shared = Receiving.shared(in);
            return Flux.zip(shared, shared, (one, other) -> one + other);
        })).hasSize(100).startsWith(2L, 4L);
    }
}
