// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.Tags;
import io.reactivenetio.diagnostics.SaidOnce;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.test.StepVerifier;

/** What a decoder does wrong is told, with the message. */
@Timeout(60)
class DecoderTest {
    private record Held(int number, ByteBuffer rest) {
    }

    private final NetioLoops loops = NetioLoops.create("decoder", 1);

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private NetioSubscriber subscriber() {
        NetioPublisher publisher = NetioPublisher.create().publishEach(Tags.of(7), tag -> Numbers.numbers(1));
        DisposableServer server = publisher.serve(NetioServer.create().backend(BackendType.TCP).host(TestSettings.ADDRESS)
                .runOn(loops)).bindNow();
        return NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).host(TestSettings.ADDRESS).runOn(loops)
                .port(server.port()));
    }

    @Test
    void shouldSayWhichMessageWasTooShort() {
        NetioSubscriber subscriber = subscriber();
        Function<ByteBuffer, Long> two = message -> message.getLong() + message.getLong();
        StepVerifier.create(subscriber.subscribe(two, 7)).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOf(BufferUnderflowException.class).hasCauseInstanceOf(BufferUnderflowException.class)
                .hasMessageMatching("decoding a message of 8 bytes with tag 7 from .*:\\d+ failed: .*BufferUnderflow.*"))
                .verify(TestSettings.PATIENCE);
        Function<ByteBuffer, Long> behind = message -> message.getLong(1);
        StepVerifier.create(subscriber.subscribe(behind, 7)).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("decoding a message of 8 bytes with tag 7 from ")).verify(TestSettings.PATIENCE);
        Function<ByteBuffer, Long> other = message -> {
            throw new IllegalArgumentException("the user's");
        };
        StepVerifier.create(subscriber.subscribe(other, 7)).expectErrorMessage("the user's").verify(TestSettings.PATIENCE);
    }

    @Test
    void shouldFindABufferThatIsKept() {
        NetioSubscriber subscriber = subscriber();
        List<Function<ByteBuffer, Object>> keeping = List.of(message -> message, ByteBuffer::slice,
                message -> new Held(message.getInt(), message.asReadOnlyBuffer()));
        for (Function<ByteBuffer, Object> keeps : keeping) {
            SaidOnce.beginAnew();
            try (Warnings warnings = new Warnings()) {
                subscriber.subscribe(keeps, 7).blockLast(TestSettings.PATIENCE);
                Link.await(() -> warnings.text().contains("returns the buffer that it was shown"), warnings::text);
            }
        }
        SaidOnce.beginAnew();
        try (Warnings warnings = new Warnings()) {
            Function<ByteBuffer, Held> copies = message -> new Held(message.getInt(), ByteBuffer.allocate(4));
            subscriber.subscribe(copies, 7).blockLast(TestSettings.PATIENCE);
            subscriber.subscribe(7).blockLast(TestSettings.PATIENCE);
            assertThat(warnings.text()).doesNotContain("returns the buffer");
        }
        SaidOnce.beginAnew();
    }
}
