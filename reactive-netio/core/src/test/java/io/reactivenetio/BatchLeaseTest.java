// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.Lease;
import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.api.MessageBatch;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Messages of a batch that are retained. */
@Timeout(120)
class BatchLeaseTest extends TwoEnds {
    private static final int PAGE = 1024;
    private static final int PAGES = 8;
    private static final int MANY = 3_000;

    private final List<Lease> kept = Collections.synchronizedList(new ArrayList<>());

    private void connect(BackendType backend, FramingKind framing, LeasePolicy policy) {
        Framing spec = framing == FramingKind.STREAM ? framing.framing() : framing.framing(EndSignal.EMPTY_MESSAGE);
        connect(backend, s -> s.framing(spec).receiveBuffers(PAGE, PAGES).sendBuffers(PAGE, PAGES),
                c -> c.framing(spec).receiveBuffers(PAGE, PAGES).sendBuffers(PAGE, PAGES).leasePolicy(policy));
    }

    private void send(Flux<ByteBuffer> messages) {
        server.send(messages).then(server.completeOutbound()).subscribe(nothing -> { }, error -> { });
    }

    /** Of many sizes: alone in a frame, with others, and in parts. */
    private static ByteBuffer sized(int number) {
        return ByteBuffer.allocate(number % 17 == 0 ? 3_000 : 8 + number % 300).putLong(0, number).put(7, (byte) number);
    }

    /** Keeps those messages that are meant; the others are read. Returns how many there were. */
    private long keep(MessageBatch batch, LongPredicate meant) {
        long messages = 0;
        while (batch.next()) {
            messages++;
            if (meant.test(batch.getLong(0))) {
                Lease lease = batch.retain();
                assertThat(lease.buffer()).isEqualTo(batch.data()).matches(ByteBuffer::isReadOnly);
                kept.add(lease);
            }
        }
        return messages;
    }

    private void giveAllBack() {
        kept.forEach(Lease::release);
        assertNothingHeld(client);
    }

    private static void assertNothingHeld(NetioConnection connection) {
        Eventually.await(() -> connection.statistics().leasedBuffers() == 0 && connection.statistics().creditsInUse() == 0,
                () -> connection.statistics().toString());
    }

    @ParameterizedTest
    @CsvSource({"TCP, STREAM", "LIBFABRIC, STREAM", "TCP, PAGE", "LIBFABRIC, PAGE", "TCP, RAW", "LIBFABRIC, RAW"})
    void shouldKeepMessagesBeyondTheirBatchAndConnection(BackendType backend, FramingKind framing) {
        connect(backend, framing, LeasePolicy.COPY);
        send(Numbers.numbers(MANY));
        long messages = client.receiveBatches().map(batch -> keep(batch, number -> number % 100 == 7))
                .reduce(0L, Long::sum).block(PATIENCE);
        assertThat(messages).isEqualTo(MANY);
        assertThat(kept).hasSize(MANY / 100);
        client.dispose();
        for (int i = 0; i < kept.size(); i++) {
            assertThat(kept.get(i).buffer().remaining()).isEqualTo(8);
            assertThat(kept.get(i).buffer().getLong()).isEqualTo(100L * i + 7);
        }
        giveAllBack();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"TCP", "LIBFABRIC"})
    void shouldKeepMessagesOfAllSizes(BackendType backend) {
        connect(backend, FramingKind.STREAM, LeasePolicy.COPY);
        send(Flux.range(0, MANY).map(BatchLeaseTest::sized));
        client.receiveBatches(50).map(batch -> keep(batch, number -> true)).limitRate(3).blockLast(PATIENCE);
        assertThat(kept).hasSize(MANY);
        for (int i = 0; i < MANY; i++) {
            assertThat(kept.get(i).buffer()).isEqualTo(sized(i));
        }
        giveAllBack();
    }

    @Test
    void shouldTellTagAndStatusOfAMessageThatIsKept() {
        connect(BackendType.TCP, FramingKind.STREAM, LeasePolicy.COPY);
        server.sendTagged(Flux.range(0, MANY).map(number -> new TaggedMessage(number % 7, number % 5 == 0 ? 9 : 0,
                Numbers.number(number)))).then(server.completeOutbound()).subscribe();
        client.receiveBatches().map(batch -> keep(batch, number -> number % 3 == 0)).blockLast(PATIENCE);
        assertThat(kept).hasSize(MANY / 3).allSatisfy(lease -> {
            long number = lease.buffer().getLong(0);
            assertThat(lease.tag()).isEqualTo(number % 7);
            assertThat(lease.status()).isEqualTo(number % 5 == 0 ? 9 : 0);
        });
        giveAllBack();
    }

    /** What waits when nobody has asked for it yet, and is shown message by message. */
    @ParameterizedTest
    @EnumSource
    void shouldKeepMessagesThatHaveWaited(FramingKind framing) {
        connect(BackendType.TCP, framing, LeasePolicy.COPY);
        send(Numbers.numbers(300));
        long messages = client.receiveBatches(40).map(batch -> keep(batch, number -> number % 2 == 0))
                .concatMap(count -> Flux.just(count).delayElements(java.time.Duration.ofMillis(5)), 1)
                .reduce(0L, Long::sum).block(PATIENCE);
        assertThat(messages).isEqualTo(300);
        assertThat(kept).extracting(lease -> lease.buffer().getLong(0)).isEqualTo(Numbers.upTo(300).stream()
                .filter(number -> number % 2 == 0).toList());
        giveAllBack();
    }

    @Test
    void shouldMakeALeaseWithEachCall() {
        connect(BackendType.TCP, FramingKind.STREAM, LeasePolicy.COPY);
        send(Numbers.numbers(1));
        client.receiveBatches().doOnNext(batch -> {
            batch.next();
            kept.add(batch.retain());
            kept.add(batch.retain());
            kept.add(kept.getFirst().retain());
            assertThat(batch.next()).isFalse();
        }).blockLast(PATIENCE);
        kept.getFirst().release();
        assertThat(kept.getFirst().isReleased()).isTrue();
        assertThat(kept.removeFirst()).isNotIn(kept);
        assertThat(kept).allSatisfy(lease -> assertThat(lease.buffer().getLong(0)).isZero());
        assertThat(client.statistics().leasedBuffers()).isEqualTo(1);
        giveAllBack();
    }

    /** Small messages, and large ones that have a receive buffer each. */
    @ParameterizedTest
    @CsvSource({"WAIT, 8", "WAIT, 900", "COPY, 8", "COPY, 900"})
    void shouldKeepCopiesWhereNoMoreBuffersMayBeLeased(LeasePolicy policy, int bytes) {
        connect(BackendType.TCP, FramingKind.STREAM, policy);
        send(Flux.range(0, MANY).map(number -> ByteBuffer.allocate(bytes).putLong(0, number)));
        long[] most = new long[1];
        client.receiveBatches().map(batch -> {
            long messages = keep(batch, number -> true);
            most[0] = Math.max(most[0], client.statistics().leasedBuffers());
            return messages;
        }).blockLast(PATIENCE);
        assertThat(kept).extracting(lease -> lease.buffer().getLong(0)).isEqualTo(Numbers.upTo(MANY));
        assertThat(most[0]).isBetween(1L, PAGES * 3L / 4);
        giveAllBack();
    }

    @Test
    void shouldFailWhereThePolicySaysSo() {
        connect(BackendType.TCP, FramingKind.STREAM, LeasePolicy.ERROR);
        send(Flux.range(0, MANY).map(number -> ByteBuffer.allocate(900).putLong(0, number)));
        StepVerifier.create(client.receiveBatches().map(batch -> keep(batch, number -> true)).then())
                .verifyErrorSatisfies(error -> assertThat(error).isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("one more was asked for"));
        assertThat(kept).hasSize(PAGES * 3 / 4);
        giveAllBack();
    }

    @Test
    void shouldRefuseOutsideOfAMessage() {
        connect(BackendType.TCP, FramingKind.STREAM, LeasePolicy.COPY);
        send(Numbers.numbers(10));
        List<MessageBatch> batches = client.receiveBatches().doOnNext(batch -> {
            assertThatIllegalStateException().isThrownBy(batch::retain).withMessageContaining("call next()");
            assertThat(keep(batch, number -> false)).isPositive();
            assertThatIllegalStateException().isThrownBy(batch::retain).withMessageContaining("no more messages");
        }).collectList().block(PATIENCE);
        assertThatIllegalStateException().isThrownBy(batches.getFirst()::retain).withMessageContaining("over");
        assertNothingHeld(client);
    }

    @Test
    void shouldHandMessagesToAnotherThread() {
        connect(BackendType.TCP, FramingKind.STREAM, LeasePolicy.COPY);
        send(Flux.range(0, MANY).map(BatchLeaseTest::sized));
        long sum = client.receiveBatches().map(batch -> {
            List<Lease> leases = new ArrayList<>();
            while (batch.next()) {
                leases.add(batch.retain());
            }
            return leases;
        }).publishOn(Schedulers.single(), 4).concatMapIterable(leases -> leases).map(lease -> {
            try (lease) {
                return lease.buffer().getLong(0);
            }
        }).reduce(0L, Long::sum).block(PATIENCE);
        assertThat(sum & 0xff).isNotNegative();
        assertNothingHeld(client);
    }

    @Test
    void shouldKeepWhatWasRetainedBeforeTheSubscriberCancelled() {
        connect(BackendType.TCP, FramingKind.STREAM, LeasePolicy.COPY);
        for (int round = 0; round < 20; round++) {
            server.stream(round).send(Numbers.numbers(500)).subscribe(nothing -> { }, error -> { });
            client.stream(round).receiveBatches().doOnNext(batch -> {
                batch.next();
                batch.next();
                kept.add(batch.retain());
            }).take(1).blockLast(PATIENCE);
        }
        assertThat(kept).hasSize(20).allSatisfy(lease -> assertThat(lease.buffer().getLong(0)).isEqualTo(1));
        giveAllBack();
    }
}
