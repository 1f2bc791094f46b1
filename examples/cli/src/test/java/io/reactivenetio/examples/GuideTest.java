// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioInbound;
import io.reactivenetio.NetioServer;
import io.reactivenetio.NetioSubscriber;
import io.reactivenetio.RawEnd;
import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;

/** The guide says what is compiled here, and that works. */
@Timeout(60)
class GuideTest {

    @ParameterizedTest
    @CsvSource({"Receiving, 3", "Publishing, 2"})
    void shouldShowTheSnippetsThatAreCompiledHere(String name, int snippets) throws IOException {
        String guide = Files.readString(Path.of("../../docs/guide.md"));
        String source = Files.readString(Path.of("src/main/java/io/reactivenetio/examples", name + ".java"));
        List<String> parts = Arrays.asList(source.split("    // guide( end)?\n"));
        assertThat(parts).hasSize(snippets + 2);
        for (String part : parts.subList(1, snippets + 1)) {
            String snippet = part.strip().lines().map(line -> line.startsWith("    ") ? line.substring(4) : line)
                    .collect(Collectors.joining("\n")).replaceFirst("^static ", "");
            assertThat(guide).contains("```java\n" + snippet + "\n```");
        }
    }

    private static List<Long> received(Function<NetioInbound, Flux<Long>> receiver) {
        var server = NetioServer.create().backend(BackendType.ASYNCMSG).rawEnd(RawEnd.EMPTY_MESSAGE)
                .handle((in, out) -> out.send(Flux.range(1, 100).map(n -> ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(n).putLong(1_000).flip())).then(out.completeOutbound())).bindNow();
        var connection = NetioClient.create().backend(BackendType.ASYNCMSG).rawEnd(RawEnd.EMPTY_MESSAGE).port(server.port())
                .connectNow();
        try {
            return receiver.apply(connection).collectList().block(Duration.ofSeconds(30));
        } finally {
            connection.dispose();
            server.dispose();
        }
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
    void shouldShareOneInbound() {
        assertThat(received(in -> {
            Flux<Long> shared = Receiving.shared(in);
            return Flux.zip(shared, shared, (one, other) -> one + other);
        })).hasSize(100).startsWith(2L, 4L);
    }
}
