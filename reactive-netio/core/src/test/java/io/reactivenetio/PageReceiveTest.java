// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.Lease;
import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import io.reactivenetio.transport.exceptions.NotSupportedException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Pages that arrive: their messages one by one, as they are asked for. */
class PageReceiveTest extends PagePair {

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldDeliverInOrder(BackendType backend) throws InterruptedException {
        connect(backend);
        server.send(numbers(100_000)).subscribe();
        AtomicLong next = new AtomicLong();
        StepVerifier.create(client.receive(ByteBuffer::getLong).take(100_000)
                .doOnNext(n -> assertThat(n).isEqualTo(next.getAndIncrement())).count())
                .expectNext(100_000L).expectComplete().verify(PATIENCE);
        assertThat(server.statistics().sentMessages()).isEqualTo(100_000);
        assertThat(server.statistics().sentBytes()).isEqualTo(800_000);
        await(() -> client.statistics().receivedBytes() == 800_000); // it is counted when it has been delivered
        assertThat(client.statistics().receivedMessages()).isEqualTo(100_000);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldKeepTheBoundariesOfMessagesOfAllSizes(BackendType backend) {
        connect(backend);
        Random random = new Random(42);
        List<byte[]> sent = new ArrayList<>();
        for (int size = 0; size <= PAGE - 12; size += random.nextInt(5)) {
            byte[] bytes = new byte[size];
            random.nextBytes(bytes);
            sent.add(bytes);
        }
        sent.add(new byte[PAGE - 12]);
        server.send(Flux.fromIterable(sent).map(ByteBuffer::wrap)).subscribe();
        List<ByteBuffer> received = client.receive().take(sent.size()).collectList().block(PATIENCE);
        for (int i = 0; i < sent.size(); i++) {
            assertThat(Arrays.equals(received.get(i).array(), sent.get(i))).as("message %s", i).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldShowEveryMessageFromPositionZeroLittleEndian(BackendType backend) {
        connect(backend);
        int[] sizes = {0, 1, 127, 128, 129, 1000};
        server.send(Flux.range(0, sizes.length).map(i -> {
            byte[] bytes = new byte[sizes[i]];
            Arrays.fill(bytes, i.byteValue());
            return ByteBuffer.wrap(bytes);
        })).subscribe();
        StepVerifier.create(client.receive(data -> {
            assertThat(data.order()).isEqualTo(ByteOrder.BIG_ENDIAN);
            assertThat(data.position()).isZero();
            int sum = 0;
            for (int i = 0; i < data.limit(); i++) {
                sum += data.get(i);
            }
            data.order(ByteOrder.BIG_ENDIAN).position(data.limit()); // what a decoder does is no matter to the next
            return sum + "/" + data.limit();
        }).take(sizes.length)).expectNext("0/0", "1/1", "254/127", "384/128", "516/129", "5000/1000").expectComplete()
                .verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldReadThePagesOfNetio3(BackendType backend) {
        connectRaw(backend, s -> s);
        client.send(Flux.just(hex("01 00 00 c0  00  01 00 00 00 00 00 00 00  61  01 00 00 80  01 00 00 00 00 00 00 00  62"),
                ByteBuffer.allocate(0), // a page without messages
                hex("00 00 00 c0  09  ff ff ff ff ff ff ff ff  01 00 00 00 63"))).subscribe();
        StepVerifier.create(server.receiveTagged().map(PagePair::text).take(4))
                .expectNext("1/0/a", "1/0/b", "18446744073709551615/9/", "18446744073709551615/0/c").expectComplete()
                .verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldDeliverExactlyWhatIsAskedForAndKeepTheRestInItsPages(BackendType backend) throws InterruptedException {
        connectRaw(backend, s -> s);
        client.send(Flux.just(page(0, 5), page(5, 5), page(10, 2))).block(PATIENCE);
        List<Long> received = new CopyOnWriteArrayList<>();
        BaseSubscriber<Long> subscriber = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {
                // asks for nothing yet
            }

            @Override
            protected void hookOnNext(Long value) {
                received.add(value);
            }
        };
        server.receive(ByteBuffer::getLong).subscribe(subscriber);
        await(() -> server.statistics().receivedMessages() == 12);
        assertThat(server.statistics().creditsInUse()).isEqualTo(3);
        settle(server);
        assertThat(received).isEmpty();
        subscriber.request(3);
        await(() -> received.size() == 3);
        assertThat(server.statistics().creditsInUse()).isEqualTo(3);
        subscriber.request(2);
        await(() -> received.size() == 5);
        await(() -> server.statistics().creditsInUse() == 2);
        subscriber.request(6);
        await(() -> received.size() == 11);
        settle(server);
        assertThat(received).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
        subscriber.request(1);
        await(() -> server.statistics().creditsInUse() == 0);
        assertThat(received).hasSize(12).endsWith(11L);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldHoldTheSenderBackWithoutDemandAndLoseNothing(BackendType backend) throws InterruptedException {
        connect(backend);
        int number = TestSettings.scaled(400_000);
        AtomicLong emitted = new AtomicLong();
        CompletableFuture<Void> sent = server.send(numbers(number).doOnNext(n -> emitted.incrementAndGet())).toFuture();
        await(() -> client.statistics().creditsInUse() == BUFFERS);
        assertThat(Eventually.still(emitted::get)).isLessThan(number);
        assertThat(client.statistics().creditsInUse()).isEqualTo(BUFFERS);
        AtomicLong next = new AtomicLong();
        assertThat(client.receive(ByteBuffer::getLong).take(number).publishOn(Schedulers.parallel(), 16)
                .doOnNext(n -> assertThat(n).isEqualTo(next.getAndIncrement())).count().block(PATIENCE)).isEqualTo(number);
        sent.orTimeout(30, TimeUnit.SECONDS).join();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldPostAPageAgainWithItsLastLease(BackendType backend) throws InterruptedException {
        connectRaw(backend, s -> s);
        client.sendTagged(Flux.empty()).as(empty -> StepVerifier.create(empty)).expectError(NotSupportedException.class)
                .verify(PATIENCE);
        client.send(Flux.just(hex("01 00 00 c0  05  01 00 00 00 00 00 00 00  61  01 00 00 80  02 00 00 00 00 00 00 00  62"),
                page(0, 40))).subscribe();
        List<Lease> leases = server.receiveLeased().take(42).collectList().block(PATIENCE);
        assertThat(server.statistics().leaseCopies()).isZero();
        assertThat(server.statistics().leasedBuffers()).isEqualTo(2);
        assertThat(leases.get(0).tag() + "/" + leases.get(0).status() + "/" + leases.get(0).buffer().get(0)).isEqualTo("1/5/97");
        assertThat(leases.get(1).tag() + "/" + leases.get(1).status() + "/" + leases.get(1).buffer().get(0)).isEqualTo("2/0/98");
        assertThat(leases.get(41).buffer().getLong(0)).isEqualTo(39);
        leases.get(1).release();
        assertThat(server.statistics().leasedBuffers()).isEqualTo(2);
        leases.get(0).release();
        assertThat(server.statistics().leasedBuffers()).isEqualTo(1);
        Lease again = leases.get(7).retain();
        leases.subList(2, 42).forEach(Lease::release);
        assertThat(server.statistics().leasedBuffers()).isEqualTo(1);
        assertThat(again.buffer().getLong(0)).isEqualTo(5);
        again.release();
        await(() -> server.statistics().leasedBuffers() == 0); // the loop may not have done yet with what it delivered last
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldMakeCopiesOfLeasesWhenTooManyPagesAreOut(BackendType backend) {
        connect(backend);
        int number = 5_000;
        server.send(numbers(number)).subscribe();
        List<Lease> leases = client.receiveLeased().take(number).collectList().block(PATIENCE);
        assertThat(client.statistics().leasedBuffers()).isEqualTo(6); // of 8
        assertThat(client.statistics().leaseCopies()).isPositive();
        for (int i = 0; i < number; i++) {
            try (Lease lease = leases.get(i)) {
                assertThat(lease.buffer().getLong(0)).isEqualTo(i);
            }
        }
        assertThat(client.statistics().leasedBuffers()).isZero();
        assertThat(client.statistics().leasedCopies()).isZero();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldLeaseOnOtherThreads(BackendType backend) {
        connect(backend, s -> s, c -> c.leasePolicy(LeasePolicy.WAIT));
        int number = TestSettings.scaled(20_000);
        server.send(numbers(number)).subscribe();
        AtomicLong next = new AtomicLong();
        StepVerifier.create(client.receiveLeased(leases -> leases.take(number)
                .publishOn(Lease.scheduler(Schedulers.parallel()), 64)
                .map(lease -> {
                    try (lease) {
                        return lease.buffer().getLong(0);
                    }
                })).doOnNext(n -> assertThat(n).isEqualTo(next.getAndIncrement())).count())
                .expectNext((long) number).expectComplete().verify(PATIENCE);
        assertThat(client.statistics().leaseCopies()).isZero();
        assertThat(client.statistics().leasedBuffers()).isZero();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldEndAConnectionWhosePeerSendsNoPages(BackendType backend) {
        connectRaw(backend, s -> s);
        CompletableFuture<Throwable> sending = new CompletableFuture<>();
        server.send(Flux.never()).subscribe(nothing -> { }, sending::complete);
        client.send(Flux.just(page(0, 2), hex("02 00 00 80  01 00 00 00 00 00 00 00  61 62  05 00 00 00  63"), page(2, 1)))
                .subscribe(nothing -> { }, error -> { });
        StepVerifier.create(server.receive().map(ByteBuffer::remaining)).expectNext(8, 8, 2)
                .expectErrorSatisfies(error -> assertThat(error).isInstanceOf(NetioProtocolException.class)
                        .hasMessageContaining("malformed page: it ends within a message: 1 of its 5 bytes are there, at offset 14"
                                + " of 19; does the peer use PAGE framing?")).verify(PATIENCE);
        assertThat(sending.orTimeout(30, TimeUnit.SECONDS).join()).hasMessageContaining("the send was complete")
                .hasCauseInstanceOf(NetioProtocolException.class);
        server.onDispose().block(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldNoticeAMalformedPageWithoutDemand(BackendType backend) {
        connectRaw(backend, s -> s);
        client.send(Flux.just(page(0, 3), hex("08 00 00 80  01 00 00 00 00 00 00 00  01 00 00 00 00 00 00 00  01")))
                .subscribe(nothing -> { }, error -> { });
        server.onDispose().block(PATIENCE);
        StepVerifier.create(server.receive().map(ByteBuffer::remaining)).expectNext(8, 8, 8, 8)
                .expectErrorSatisfies(error -> assertThat(error).isInstanceOf(NetioProtocolException.class)
                        .hasMessageContaining("it ends within a message's header")).verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldFailWhenThePeerClosesWithoutAnEnd(BackendType backend) {
        connect(backend);
        server.send(numbers(10)).doOnSuccess(nothing -> server.dispose()).subscribe();
        StepVerifier.create(client.receive()).expectNextCount(10)
                .expectErrorSatisfies(error -> assertThat(error).isInstanceOf(NetioAbortedException.class)
                        .hasMessageContaining("was closed by the peer")).verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldCompleteWhenThePeerClosesIfAskedTo(BackendType backend) {
        connect(backend, s -> s, c -> c.framing(Framing.page().endSignal(EndSignal.PEER_CLOSE)));
        server.send(numbers(10)).doOnSuccess(nothing -> server.dispose()).subscribe();
        StepVerifier.create(client.receive()).expectNextCount(10).expectComplete().verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldCompleteWithAnEmptyMessageIfAskedTo(BackendType backend) {
        Framing.Page ended = Framing.page().endSignal(EndSignal.EMPTY_MESSAGE);
        connect(backend, s -> s.framing(ended), c -> c.framing(ended));
        server.send(numbers(1_000)).then(server.completeOutbound()).subscribe();
        StepVerifier.create(client.receive().count()).expectNext(1_000L).expectComplete().verify(PATIENCE);
        StepVerifier.create(server.send(Mono.just(ByteBuffer.allocate(0)))).expectErrorMessage(
                "an empty message ends the stream (EndSignal.EMPTY_MESSAGE): it cannot be data").verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldEndAtAnEmptyMessageWithinAPageThatWaits(BackendType backend) throws InterruptedException {
        connect(backend, s -> s.framing(Framing.page().endSignal(EndSignal.EMPTY_MESSAGE)), c -> c.framing(Framing.raw()));
        client.send(Flux.just(page(0, 2), hex("01 00 00 80  01 00 00 00 00 00 00 00  61  00 00 00 00  01 00 00 00 62"),
                page(2, 2))).subscribe();
        await(() -> server.statistics().receivedMessages() == 3);
        client.dispose();
        server.onDispose().block(PATIENCE);
        StepVerifier.create(server.receive().map(ByteBuffer::remaining)).expectNext(8, 8, 1).expectComplete().verify(PATIENCE);
    }
}
