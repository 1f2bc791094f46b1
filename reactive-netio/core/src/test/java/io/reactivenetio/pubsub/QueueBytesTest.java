// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.Link;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.Numbers;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.framing.stream.SharedMessage;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;

/** A queue is bounded in bytes as well as in messages. */
@Timeout(180)
class QueueBytesTest {
    private static final int MEBI = 1 << 20;
    private static final int EACH = 128;

    private final NetioLoops loops = NetioLoops.create("bytes", 1);

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private NetioSubscriber subscriber(BackendType backend, NetioPublisher publisher) {
        int port = publisher.serve(NetioServer.create().backend(backend).provider(TestSettings.PROVIDER)
                .host(TestSettings.ADDRESS).runOn(loops)).bindNow().port();
        return NetioSubscriber.create(NetioClient.create().backend(backend).provider(TestSettings.PROVIDER)
                .host(TestSettings.ADDRESS).runOn(loops).port(port));
    }

    private static Flux<ByteBuffer> large(AtomicInteger made) {
        return Flux.range(0, 1_000).map(n -> {
            made.incrementAndGet();
            return ByteBuffer.allocate(8 * MEBI).putLong(0, n);
        });
    }

    /** The source answers each request at once. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldAskForFewMessagesThatAreLarge(BackendType backend) {
        AtomicInteger shared = new AtomicInteger();
        AtomicInteger own = new AtomicInteger();
        NetioPublisher publisher = NetioPublisher.create().publish(7, large(shared))
                .publishEach(Tags.of(8), tag -> large(own));
        NetioSubscriber subscriber = subscriber(backend, publisher);
        for (int tag = 7; tag <= 8; tag++) {
            IdleSubscriber slow = new IdleSubscriber();
            subscriber.subscribe(tag).subscribe(slow);
            AtomicInteger made = tag == 7 ? shared : own;
            for (int i = 1; i <= 5; i++) {
                slow.request(1);
                int messages = i;
                Link.await(() -> slow.got().size() == messages, () -> slow.got() + " of " + made);
                assertThat(made.get()).isLessThanOrEqualTo(messages + 2);
            }
            assertThat(slow.got()).isEqualTo(Numbers.upTo(5));
            slow.cancel();
        }
    }

    @Test
    void shouldAskForMoreWithEachMessageThatIsSmall() {
        AskWindow window = new AskWindow(256, 16 * MEBI);
        List<Integer> sizes = new ArrayList<>(List.of(window.size()));
        for (int i = 0; i < 4; i++) {
            assertThat(window.count(100)).as("has changed").isEqualTo(i < 3);
            sizes.add(window.size());
        }
        assertThat(sizes).containsExactly(1, 8, 64, 256, 256);
        window.count(48 * MEBI);
        assertThat(window.size()).isEqualTo(1);
        for (int i = 0; i < 1_000; i++) {
            window.count(100);
        }
        assertThat(window.size()).isEqualTo(256);
        assertThat(window.room()).isEqualTo(256);
        assertThat(window.typical()).isEqualTo(100 + EACH);
    }

    private static SharedMessage message(int bytes) {
        return new SharedMessage(7, 0, ByteBuffer.allocate(bytes));
    }

    /** One has room, however large it is; then what is there makes room or not, as the policy says. */
    @ParameterizedTest
    @EnumSource(value = SlowPolicy.class, names = {"DROP_NEWEST", "DROP_OLDEST", "ERROR"})
    void shouldTreatWhatHasNoRoomInBytesAsItsPolicySays(SlowPolicy policy) {
        SubscriberQueue queue = new SubscriberQueue(Tags.of(7), policy, 256, 100, () -> { });
        assertThat(queue.add(message(1_000))).isTrue();
        assertThat(Objects.requireNonNull(queue.poll()).payload().remaining()).isEqualTo(1_000);
        queue.add(message(40));
        queue.add(message(50));
        queue.add(message(30));
        queue.add(message(60));
        switch (policy) {
            case DROP_NEWEST -> {
                assertThat(queue.takeDropped()).isEqualTo(2);
                assertThat(sizes(queue)).containsExactly(40, 50);
            }
            case DROP_OLDEST -> {
                assertThat(queue.takeDropped()).isEqualTo(2);
                assertThat(sizes(queue)).containsExactly(30, 60);
            }
            default -> assertThat(queue.ended()).isNotNull();
        }
    }

    private static List<Integer> sizes(SubscriberQueue queue) {
        List<Integer> sizes = new ArrayList<>();
        SharedMessage message;
        while ((message = queue.poll()) != null) {
            sizes.add(message.payload().remaining());
        }
        return sizes;
    }

    @Test
    void shouldRefuseAQueueWithoutBytes() {
        assertThatThrownBy(() -> NetioPublisher.builder().queueBytes(0).build()).isInstanceOf(IllegalArgumentException.class);
    }
}
