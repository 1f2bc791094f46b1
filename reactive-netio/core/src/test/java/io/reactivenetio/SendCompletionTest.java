// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** When a send is done: with the peer, or on its way. */
@Timeout(180)
class SendCompletionTest {
    private static final int MESSAGES = 1_000;

    private final NetioLoops loops = NetioLoops.create("completion", 2);

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private static Flux<ByteBuffer> numbers(int from, int count) {
        return Flux.range(from, count).map(n -> ByteBuffer.allocate(8).putInt(n).putInt(~n).flip());
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldNotWaitForAPeerThatReceivesNothing(BackendType backend) {
        try (Link link = new Link(loops, backend, server -> server)) {
            link.sending.completion(SendCompletion.TRANSMITTED).send(numbers(0, MESSAGES)).block(PATIENCE);
            for (int i = 0; i < MESSAGES; i++) { // far more than may wait for an acknowledgement
                link.sending.completion(SendCompletion.TRANSMITTED).send(numbers(MESSAGES + i, 1)).block(PATIENCE);
            }
            CompletableFuture<Void> delivered = link.sending.send(numbers(2 * MESSAGES, 1)).toFuture();
            if (backend == BackendType.LIBFABRIC) { // over plain TCP the peer's kernel counts as well
                assertThatThrownBy(() -> delivered.get(100, TimeUnit.MILLISECONDS)).isNotNull();
            }
            CompletableFuture<List<Integer>> received = link.receiving.receive(Link::number).collectList().toFuture();
            delivered.orTimeout(30, TimeUnit.SECONDS).join();
            link.sending.completeOutbound().block(PATIENCE);
            assertThat(received.orTimeout(30, TimeUnit.SECONDS).join())
                    .isEqualTo(IntStream.range(0, 2 * MESSAGES + 1).boxed().toList());
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldKeepTheOrderOfSendsOfBothKindsSideBySide(BackendType backend) {
        try (Link link = new Link(loops, backend, server -> server)) {
            CompletableFuture<List<Integer>> received = link.receiving.receive(Link::number).collectList().toFuture();
            Mono.when(link.sending.completion(SendCompletion.TRANSMITTED).send(numbers(0, 10 * MESSAGES)),
                    link.sending.send(numbers(1 << 20, 10 * MESSAGES)))
                    .then(link.sending.completeOutbound()).block(PATIENCE);
            List<Integer> all = received.orTimeout(30, TimeUnit.SECONDS).join();
            assertThat(all.stream().filter(n -> n < 1 << 20).toList())
                    .isEqualTo(IntStream.range(0, 10 * MESSAGES).boxed().toList());
            assertThat(all.stream().filter(n -> n >= 1 << 20).map(n -> n - (1 << 20)).toList())
                    .isEqualTo(IntStream.range(0, 10 * MESSAGES).boxed().toList());
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldFailWithWhatHadNotLeftWhenThePeerGoes(BackendType backend) {
        try (Link link = new Link(loops, backend, server -> server)) {
            CompletableFuture<Void> sent = link.sending.completion(SendCompletion.TRANSMITTED).send(numbers(0, Integer.MAX_VALUE))
                    .toFuture();
            Link.await(() -> link.sending.statistics().sentMessages() > MESSAGES, () -> "sent");
            link.receiving.dispose();
            assertThatThrownBy(() -> sent.orTimeout(30, TimeUnit.SECONDS).join()).cause()
                    .isInstanceOf(NetioAbortedException.class);
            assertThat(sent.exceptionNow().getMessage()).containsAnyOf("not known to be transmitted", "before the send was");
        }
    }

    /** Also where libfabric tells first that messages under way have failed, as the connection is gone. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldSayThatThePeerHasClosedWhileMessagesAreUnderWay(BackendType backend) {
        for (int round = 0; round < 20; round++) {
            try (Link link = new Link(loops, backend, server -> server)) {
                CompletableFuture<Void> received = link.sending.receive().then().toFuture();
                link.sending.send(numbers(0, Integer.MAX_VALUE)).subscribe(nothing -> { }, error -> { });
                Link.await(() -> link.sending.statistics().noResources() > 0, () -> link.sending.statistics().toString());
                link.receiving.dispose();
                assertThatThrownBy(() -> received.orTimeout(30, TimeUnit.SECONDS).join()).cause()
                        .isInstanceOf(NetioAbortedException.class).hasMessageContaining("was closed by the peer");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = "TCP")
    void shouldRefuseAtOnceACompletionThatIsMissing(BackendType backend) {
        try (Link link = new Link(loops, backend, server -> server)) {
            assertThatThrownBy(() -> link.sending.completion(null)).isInstanceOf(NullPointerException.class);
        }
    }
}
