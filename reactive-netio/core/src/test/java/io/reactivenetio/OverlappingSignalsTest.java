// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A source of which two threads emit at the same time, against §1.3: its send fails, and the connection goes on. */
@Timeout(120)
class OverlappingSignalsTest extends TwoEnds {
    private static final ByteBuffer SMALL = ByteBuffer.allocate(20).asReadOnlyBuffer();
    private static final ByteBuffer LARGER = ByteBuffer.allocate(700).asReadOnlyBuffer();

    /** As far as it is asked, for ever. */
    private static final class TwoThreads implements Publisher<ByteBuffer> {
        private final AtomicLong requested = new AtomicLong();
        private volatile boolean cancelled;

        @Override
        public void subscribe(Subscriber<? super ByteBuffer> subscriber) {
            subscriber.onSubscribe(new Subscription() {
                @Override
                public void request(long n) {
                    requested.addAndGet(n);
                }

                @Override
                public void cancel() {
                    cancelled = true;
                }
            });
            Thread.ofPlatform().daemon().start(() -> emit(subscriber, SMALL));
            Thread.ofPlatform().daemon().start(() -> emit(subscriber, LARGER));
        }

        private void emit(Subscriber<? super ByteBuffer> subscriber, ByteBuffer message) {
            while (!cancelled) {
                if (requested.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                    subscriber.onNext(message.duplicate());
                } else {
                    Thread.onSpinWait();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"page", "stream"})
    void shouldFailTheSendAndKeepTheConnection(String framing) {
        Framing used = framing.equals("page") ? Framing.page() : Framing.stream();
        connect(BackendType.TCP, server -> server.receiveBuffers(2048, 8).sendBuffers(2048, 8).framing(used),
                client -> client.receiveBuffers(2048, 8).sendBuffers(2048, 8).framing(used));
        Flux<Integer> received = server.receive(ByteBuffer::remaining);
        Mono<Integer> last = received.filter(size -> size == 5).next();
        UnaryOperator<Mono<Void>> failing = send -> send.onErrorResume(IllegalStateException.class, error -> {
            assertThat(error).hasMessageStartingWith("§1.");
            return Mono.empty();
        });
        Mono<Void> sent = Mono.defer(() -> failing.apply(client.send(new TwoThreads())))
                .then(Mono.defer(() -> client.send(Mono.just(ByteBuffer.allocate(5)))));
        assertThat(Mono.zip(last, sent.thenReturn(1)).block(PATIENCE)).isNotNull();
    }
}
