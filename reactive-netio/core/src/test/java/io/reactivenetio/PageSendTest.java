// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NotSupportedException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Messages that are put into pages, and when these leave. */
class PageSendTest extends PagePair {

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldWriteThePagesOfNetio3(BackendType backend) {
        connectRaw(backend, s -> s);
        server.sendTagged(Flux.just(tagged(42, 0, "hi"), tagged(42, 0, "foo"), tagged(42, 7, ""),
                tagged(1L << 63, 255, "!"))).subscribe();
        StepVerifier.create(client.receive().map(PagePair::hex).take(1))
                .expectNext("02000080" + "2a00000000000000" + "6869" + "03000000" + "666f6f" + "00000040" + "07"
                        + "010000c0" + "ff" + "0000000000000080" + "21").expectComplete().verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldCarryTagsAndStatus(BackendType backend) {
        connect(backend);
        Flux<TaggedMessage> messages = Flux.range(0, 10_000).map(n -> new TaggedMessage(n / 3 * 1_000_000_007L, n % 256,
                message(n)));
        CompletableFuture<Void> sent = server.sendTagged(messages).toFuture();
        StepVerifier.create(client.receiveTagged((tag, status, payload) -> tag + "/" + status + "/" + payload.getLong(0))
                .take(10_000).zipWith(messages)
                .map(both -> both.getT1().equals(both.getT2().tag() + "/" + both.getT2().status() + "/"
                        + both.getT2().payload().getLong(0))).filter(equal -> equal).count())
                .expectNext(10_000L).expectComplete().verify(PATIENCE);
        sent.orTimeout(30, TimeUnit.SECONDS).join();
        client.send(numbers(1)).subscribe();
        StepVerifier.create(server.receiveTagged().take(1)).assertNext(plain -> {
            assertThat(plain.tag()).isZero();
            assertThat(plain.status()).isZero();
        }).expectComplete().verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldSendAPageWhenThereIsNothingMoreAtHand(BackendType backend) {
        connectRaw(backend, s -> s);
        Sinks.Many<ByteBuffer> slow = Sinks.many().unicast().onBackpressureBuffer();
        server.send(slow.asFlux()).subscribe();
        StepVerifier.create(client.receive().map(ByteBuffer::remaining))
                .then(() -> slow.tryEmitNext(message(1))).expectNext(20)
                .then(() -> slow.tryEmitNext(message(2))).expectNext(20)
                .then(() -> server.send(numbers(10)).subscribe()).expectNext(8 + 10 * 12)
                .thenCancel().verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldFillPagesToTheLastMessageThatFits(BackendType backend) {
        connectRaw(backend, s -> s);
        server.send(numbers(200)).subscribe(); // 84 fit: 8 + 84 * 12 = 1016
        StepVerifier.create(client.receive().map(ByteBuffer::remaining).take(3)).expectNext(1016, 1016, 8 + 32 * 12)
                .expectComplete().verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldSendAPageAtTheWatermark(BackendType backend) {
        connectRaw(backend, s -> s.framing(Framing.page().watermark(100).flushInterval(Duration.ofHours(1))));
        server.send(Flux.concat(numbers(16), Flux.never())).subscribe(); // 8 + 8 * 12 = 104
        StepVerifier.create(client.receive().map(ByteBuffer::remaining).take(2)).expectNext(104, 104).expectComplete()
                .verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldLetAPageWaitForTheFlushInterval(BackendType backend) {
        connectRaw(backend, s -> s.framing(Framing.page().flushInterval(Duration.ofSeconds(3))));
        long began = System.nanoTime();
        List<CompletableFuture<Void>> sends = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            sends.add(server.send(Mono.just(message(i))).toFuture());
        }
        List<Integer> sizes = new ArrayList<>();
        client.receive().map(ByteBuffer::remaining).doOnNext(sizes::add).take(1).blockLast(PATIENCE);
        assertThat(System.nanoTime() - began).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(2_990));
        assertThat(sizes).containsExactly(8 + 3 * 12);
        sends.forEach(send -> send.orTimeout(30, TimeUnit.SECONDS).join());
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldFillPagesWhileTheyWaitForTheFlushInterval(BackendType backend) {
        connect(backend, s -> s.framing(Framing.page().flushInterval(Duration.ofMillis(20))), c -> c);
        int number = TestSettings.scaled(20_000);
        CompletableFuture<Void> sent = server.send(numbers(number).publishOn(Schedulers.parallel(), 8)).toFuture();
        StepVerifier.create(client.receive(ByteBuffer::getLong).take(number).count()).expectNext((long) number)
                .expectComplete().verify(PATIENCE);
        sent.orTimeout(30, TimeUnit.SECONDS).join();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldRefuseAMessageThatDoesNotFitAPageBeforeSendingIt(BackendType backend) {
        connect(backend);
        StepVerifier.create(server.send(Flux.just(message(1), ByteBuffer.allocate(PAGE - 11))))
                .expectErrorSatisfies(error -> assertThat(error).isInstanceOf(MessageTooLargeException.class)
                        .hasMessage("a message of 1013 bytes does not fit a page of 1024 bytes, which takes at most 1012: use"
                                + " larger send buffers or smaller messages")).verify(PATIENCE);
        StepVerifier.create(server.sendTagged(Flux.just(new TaggedMessage(1, 1, ByteBuffer.allocate(PAGE - 12)))))
                .expectErrorSatisfies(error -> assertThat(error).isInstanceOf(MessageTooLargeException.class)
                        .hasMessageContaining("which takes at most 1011")).verify(PATIENCE);
        server.sendTagged(Flux.just(new TaggedMessage(1, 0, ByteBuffer.allocate(PAGE - 12)),
                new TaggedMessage(1, 1, ByteBuffer.allocate(PAGE - 13)))).subscribe();
        StepVerifier.create(client.receive().map(ByteBuffer::remaining).take(3)).expectNext(8, 1012, 1011).expectComplete()
                .verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldMergeConcurrentSends(BackendType backend) {
        connect(backend);
        int number = TestSettings.scaled(10_000);
        Mono<Void> all = Flux.range(0, 6).flatMap(i -> server
                .completion(i % 3 == 0 ? SendCompletion.TRANSMITTED : SendCompletion.DELIVERED)
                .sendTagged(numbers(number).map(payload -> TaggedMessage.of(i, payload))
                        .transform(some -> i % 2 == 0 ? some : some.subscribeOn(Schedulers.boundedElastic())))).then();
        CompletableFuture<Void> sent = all.toFuture();
        long[] next = new long[6];
        StepVerifier.create(client.receiveTagged((tag, status, payload) -> {
            assertThat(payload.getLong(0)).isEqualTo(next[(int) tag]++);
            return tag;
        }).take(6L * number).count()).expectNext(6L * number).expectComplete().verify(PATIENCE);
        sent.orTimeout(30, TimeUnit.SECONDS).join();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldEcho(BackendType backend) {
        connect(backend);
        int number = TestSettings.scaled(50_000);
        server.send(server.receive()).subscribe(nothing -> { }, error -> { });
        client.send(numbers(number)).subscribe();
        AtomicLong next = new AtomicLong();
        StepVerifier.create(client.receive(ByteBuffer::getLong).take(number)
                .doOnNext(n -> assertThat(n).isEqualTo(next.getAndIncrement())).count())
                .expectNext((long) number).expectComplete().verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldTellTheSenderHowManyWereUnsent(BackendType backend) throws InterruptedException {
        connect(backend);
        CompletableFuture<Void> sent = server.send(numbers(100_000)).toFuture();
        await(() -> client.statistics().creditsInUse() == BUFFERS);
        client.dispose();
        assertThatThrownBy(() -> sent.orTimeout(30, TimeUnit.SECONDS).join()).cause()
                .isInstanceOfSatisfying(NetioAbortedException.class, e -> assertThat(e.unsent()).isPositive());
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldSendWhatCameBeforeTheUpstreamFailed(BackendType backend) {
        connect(backend);
        StepVerifier.create(server.send(Flux.concat(numbers(5), Flux.error(new IllegalStateException("the magnet is off")))))
                .expectErrorMessage("the magnet is off").verify(PATIENCE);
        StepVerifier.create(client.receive().take(5).count()).expectNext(5L).expectComplete().verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldKeepTheConnectionWhenASendIsCancelled(BackendType backend) {
        connect(backend);
        server.send(Flux.never()).subscribe().dispose();
        server.send(numbers(Integer.MAX_VALUE)).subscribe().dispose();
        server.sendTagged(numbers(3).map(payload -> TaggedMessage.of(7, payload))).subscribe();
        StepVerifier.create(client.receiveTagged().filter(message -> message.tag() == 7).take(3).count()).expectNext(3L)
                .expectComplete().verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldShareBuffersWithOtherConnections(BackendType backend) {
        DisposableServer listening = NetioServer.create().backend(backend)
                .framing(Framing.page().endSignal(EndSignal.EMPTY_MESSAGE).sharedReceiveBuffers(PAGE, 16)
                .sharedSendBuffers(PAGE, 4)).runOn(loops)
                .handle((in, out) -> out.send(in.receive()).then(out.completeOutbound())).bindNow();
        int number = TestSettings.scaled(5_000);
        StepVerifier.create(Flux.range(0, 20).flatMap(i -> NetioClient.create().backend(backend)
                .framing(Framing.page().endSignal(EndSignal.EMPTY_MESSAGE)).receiveBuffers(PAGE, 4).sendBuffers(PAGE, 4)
                .runOn(loops)
                .port(listening.port())
                .connect().flatMap(connection -> {
                    connections.add(connection);
                    connection.send(numbers(number)).then(connection.completeOutbound()).subscribe();
                    return connection.receive(ByteBuffer::getLong).reduce(0L, Long::sum);
                }), 20)).expectNextSequence(java.util.Collections.nCopies(20, (long) number * (number - 1) / 2))
                .expectComplete().verify(PATIENCE);
        listening.dispose();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldHaveNoTagsWithRawFraming(BackendType backend) {
        connect(backend, s -> s.framing(Framing.raw()), c -> c.framing(Framing.raw()));
        for (Publisher<?> refused : List.of(client.receiveTagged(), client.sendTagged(Flux.just(tagged(1, 1, "a"))))) {
            StepVerifier.create(refused).expectErrorSatisfies(error -> assertThat(error)
                    .isInstanceOf(NotSupportedException.class).hasMessageContaining("with PAGE and STREAM framing only")
                    .hasMessageContaining("configure framing(Framing.stream()) on both sides")).verify(PATIENCE);
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldRefuseSlicesOfARegion(BackendType backend) {
        connect(backend);
        try (NetioRegion region = NetioRegion.allocate(1024)) {
            StepVerifier.create(client.sendRegion(Flux.just(region.slice(0, 8)))).expectErrorSatisfies(error -> assertThat(error)
                    .isInstanceOf(NotSupportedException.class).hasMessageContaining("sends from a region need RAW framing")
                    .hasMessageContaining("configure framing(Framing.raw()) on both sides")).verify(PATIENCE);
        }
    }

    @Test
    void shouldRefuseWrongSettings() {
        NetioServer server = NetioServer.create().backend(BackendType.TCP).framing(Framing.page()).runOn(loops);
        assertThatThrownBy(() -> Framing.page().watermark(0)).hasMessage("the page watermark must be at least 1 byte: 0");
        assertThatThrownBy(() -> Framing.page().flushInterval(Duration.ofMillis(-1)))
                .hasMessage("the flush interval must be between 0 and an hour: PT-0.001S");
        assertThatThrownBy(() -> server.sendBuffers(1000, 4).framing(Framing.page().watermark(1001)).bindNow())
                .hasMessageContaining("the page watermark of 1001 bytes is more than a page has, which is a send buffer of 1000");
        assertThatThrownBy(() -> server.sendBuffers(12, 4).bindNow())
                .hasMessageContaining("PAGE framing needs send buffers of at least 13 bytes, for a message's header: 12");
    }
}
