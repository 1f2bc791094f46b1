// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioInbound;
import io.reactivenetio.NetioServer;
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
import reactor.core.publisher.Flux;

/** The guide says what is compiled here, and that works. */
@Timeout(60)
class GuideTest {

    @Test
    void shouldShowTheSnippetsThatAreCompiledHere() throws IOException {
        String guide = Files.readString(Path.of("../../docs/guide.md"));
        String source = Files.readString(Path.of("src/main/java/io/reactivenetio/examples/Receiving.java"));
        List<String> parts = Arrays.asList(source.split("    // guide( end)?\n"));
        assertThat(parts).hasSize(5);
        for (String part : parts.subList(1, 4)) {
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
    void shouldShareOneInbound() {
        assertThat(received(in -> {
            Flux<Long> shared = Receiving.shared(in);
            return Flux.zip(shared, shared, (one, other) -> one + other);
        })).hasSize(100).startsWith(2L, 4L);
    }
}
