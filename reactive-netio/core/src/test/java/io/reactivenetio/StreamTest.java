// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.connection.ConnectionProbe.engine;
import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.Lease;
import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.api.NetioOutbound;
import io.reactivenetio.api.NetioStream;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.connection.ConnectionProbe;
import io.reactivenetio.framing.stream.StreamProbe;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.NotSupportedException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** STREAM framing: the contract of Reactive Streams with the other end across the wire. */
@Timeout(180)
class StreamTest extends TwoEnds {
    /** Of 8 pages. */
    private static final int LEASABLE = ConnectionProbe.leaseCap(8);

    private void connect(BackendType backend) {
        connect(backend, s -> s, c -> c);
    }

    @Override
    void connect(BackendType backend, UnaryOperator<NetioServer> onServer, UnaryOperator<NetioClient> onClient) {
        super.connect(backend, s -> onServer.apply(s.receiveBuffers(2048, 8).sendBuffers(2048, 8)),
                c -> onClient.apply(c.receiveBuffers(2048, 8).sendBuffers(2048, 8)));
    }

    private static ByteBuffer message(long number) {
        return ByteBuffer.allocate(8).putLong(number).flip();
    }

    private static Flux<ByteBuffer> numbers(int count) {
        return Flux.range(0, count).map(StreamTest::message);
    }

    private static long number(ByteBuffer message) {
        assertThat(message.remaining()).isEqualTo(8);
        return message.getLong(0);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldDeliverInOrderAndComplete(BackendType backend) {
        connect(backend);
        server.send(numbers(100_000)).then(server.completeOutbound()).subscribe();
        AtomicLong next = new AtomicLong();
        StepVerifier.create(client.receive(StreamTest::number).doOnNext(n -> assertThat(n).isEqualTo(next.getAndIncrement()))
                .count()).expectNext(100_000L).expectComplete().verify(PATIENCE);
        // small messages share a page
        assertThat(client.statistics().receivedMessages()).isEqualTo(100_000);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldSendMessagesWithTagsOfTheirOwn(BackendType backend) {
        connect(backend);
        List<TaggedMessage> sent = new ArrayList<>();
        for (int size : new int[] {8, 0, 1_000, 2_030, 2_031, 2_035, 2_039, 2_040, 2_044, 100_000, 3}) { // around that of a page
            for (long tag : new long[] {0, 9, 0, -1, -1, 9}) {
                sent.add(new TaggedMessage(tag, size % 2, ByteBuffer.allocate(size)));
                sent.add(new TaggedMessage(tag, 0, ByteBuffer.allocate(size)));
            }
        }
        List.of(server, server.stream(9)).forEach(out -> {
            Flux<TaggedMessage> messages = Flux.fromIterable(sent);
            out.sendTagged(messages).then(out.sendTagged(messages.publishOn(Schedulers.parallel(), 5)))
                    .then(out.send(numbers(1))).then(out.completeOutbound()).subscribe();
        });
        List<TaggedMessage> expected = new ArrayList<>(sent);
        expected.addAll(sent);
        expected.add(TaggedMessage.of(0, message(0)));
        assertThat(client.receiveTagged().collectList().block(PATIENCE)).isEqualTo(expected);
        expected.set(2 * sent.size(), TaggedMessage.of(9, message(0)));
        assertThat(client.stream(9).receiveTagged().collectList().block(PATIENCE)).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldAskTheUpstreamForExactlyWhatTheSubscriberAsksFor(BackendType backend) throws InterruptedException {
        connect(backend, s -> s, c -> c.framing(Framing.stream().prefetch(0)));
        AtomicLong requested = new AtomicLong();
        server.send(numbers(1_000).doOnRequest(requested::addAndGet)).then(server.completeOutbound()).subscribe();
        StepVerifier.create(client.receive(StreamTest::number), 0).expectSubscription()
                .then(() -> assertThat(Eventually.still(requested::get)).isZero())
                .thenRequest(1).expectNext(0L)
                .then(() -> assertThat(Eventually.still(requested::get)).isEqualTo(1))
                .thenRequest(5).expectNext(1L, 2L, 3L, 4L, 5L)
                .then(() -> assertThat(Eventually.still(requested::get)).isEqualTo(6))
                .thenRequest(994).expectNextCount(994)
                .expectComplete().verify(PATIENCE);
        assertThat(requested).hasValue(1_000);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldCancelTheUpstreamWhenTheSubscriberCancels(BackendType backend) {
        connect(backend);
        AtomicBoolean cancelled = new AtomicBoolean();
        CompletableFuture<Throwable> failed = new CompletableFuture<>();
        server.send(numbers(Integer.MAX_VALUE).doOnCancel(() -> cancelled.set(true)))
                .subscribe(nothing -> { }, failed::complete);
        StepVerifier.create(client.receive(StreamTest::number).take(10)).expectNextCount(10).expectComplete().verify(PATIENCE);
        assertThat(failed.orTimeout(30, TimeUnit.SECONDS).join()).isInstanceOf(NetioAbortedException.class)
                .hasMessageContaining("the peer wants no more of the stream");
        assertThat(cancelled).isTrue();
        // the connection lives, and the other direction with it
        client.send(numbers(10)).then(client.completeOutbound()).subscribe();
        StepVerifier.create(server.receive().count()).expectNext(10L).expectComplete().verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldTellAHandlersErrorToThePeer(BackendType backend) {
        DisposableServer listening = NetioServer.create().backend(backend).framing(Framing.stream()).runOn(loops)
                .handle((in, out) -> out.send(numbers(5)).then(Mono.error(new IllegalStateException("the magnet is off"))))
                .bindNow();
        client = NetioClient.create().backend(backend).framing(Framing.stream()).runOn(loops).port(listening.port()).connectNow();
        connections.add(client);
        StepVerifier.create(client.receive()).expectNextCount(5).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOf(NetioStreamException.class).hasMessageContaining("the magnet is off")).verify(PATIENCE);
        listening.dispose();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldCompleteWhenAHandlerDoes(BackendType backend) {
        DisposableServer listening = NetioServer.create().backend(backend).framing(Framing.stream()).runOn(loops)
                .handle((in, out) -> out.send(in.receive().take(100))).bindNow();
        client = NetioClient.create().backend(backend).framing(Framing.stream()).runOn(loops).port(listening.port()).connectNow();
        connections.add(client);
        client.send(numbers(1_000)).subscribe(nothing -> { }, error -> { });
        StepVerifier.create(client.receive(StreamTest::number).count()).expectNext(100L).expectComplete().verify(PATIENCE);
        listening.dispose();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldFailAStreamThatLosesItsConnection(BackendType backend) {
        connect(backend);
        server.send(Flux.concat(numbers(10), Flux.never())).subscribe(nothing -> { }, error -> { });
        StepVerifier.create(client.receive()).expectNextCount(10).then(() -> server.dispose())
                .expectErrorSatisfies(error -> assertThat(error).isInstanceOf(NetioAbortedException.class)
                        .hasMessageContaining("was closed by the peer before the end of the stream")).verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldSayHowManyMessagesAreNotKnownToHaveArrived(BackendType backend) {
        connect(backend);
        AtomicLong emitted = new AtomicLong();
        CompletableFuture<Void> sent = server.send(numbers(10_000_000).doOnNext(n -> emitted.incrementAndGet())).toFuture();
        AtomicLong received = new AtomicLong();
        client.receive(StreamTest::number).doOnNext(n -> received.incrementAndGet()).subscribe(n -> {
            if (n == 100_000) {
                client.dispose();
            }
        }, error -> { });
        assertThatThrownBy(() -> sent.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join())
                .hasCauseInstanceOf(NetioAbortedException.class).satisfies(error -> {
                    long unsent = ((NetioAbortedException) error.getCause()).unsent();
                    assertThat(emitted.get() - unsent).as("known to have arrived").isPositive()
                            .isLessThanOrEqualTo(received.get());
                });
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldPassMessagesOfAnySize(BackendType backend) {
        connect(backend);
        Random random = new Random(42);
        List<byte[]> sent = new ArrayList<>();
        for (int size : new int[] {0, 1, 2030, 2031, 2032, 2033, 2036, 2037, 2040, 2048, 4096, 65_536, 1_000_000, 0, 7}) {
            byte[] bytes = new byte[size];
            random.nextBytes(bytes);
            sent.add(bytes);
        }
        server.send(Flux.fromIterable(sent).map(ByteBuffer::wrap)).then(server.completeOutbound()).subscribe();
        List<ByteBuffer> received = client.receive().collectList().block(PATIENCE);
        assertThat(received).hasSameSizeAs(sent);
        for (int i = 0; i < sent.size(); i++) {
            assertThat(Arrays.equals(received.get(i).array(), sent.get(i))).as("message %s", i).isTrue();
        }
    }

    /** A message that came in parts is given away where it was put together; the next one must not be put together there. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGiveAwayMessagesThatNothingChangesAfterwards(BackendType backend) {
        connect(backend);
        int size = 100_000;
        server.send(Flux.range(1, 10).map(n -> {
            byte[] bytes = new byte[size - n];
            Arrays.fill(bytes, n.byteValue());
            return ByteBuffer.wrap(bytes);
        })).then(server.completeOutbound()).subscribe();
        List<ByteBuffer> received = client.receive().collectList().block(PATIENCE);
        assertThat(received).hasSize(10);
        for (int n = 1; n <= 10; n++) {
            byte[] expected = new byte[size - n];
            Arrays.fill(expected, (byte) n);
            assertThat(received.get(n - 1).capacity()).isEqualTo(size - n);
            assertThat(received.get(n - 1)).isEqualTo(ByteBuffer.wrap(expected));
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldRefuseAMessageThatThePeerDoesNotTake(BackendType backend) {
        connect(backend, s -> s, c -> c.framing(Framing.stream().maxMessageSize(10_000)));
        assertThatThrownBy(() -> {
            client.receive().subscribe();
            server.send(Flux.just(ByteBuffer.allocate(10_000), ByteBuffer.allocate(10_001))).block(PATIENCE);
        }).isInstanceOf(MessageTooLargeException.class).hasMessageContaining("10001 bytes; the peer takes at most 10000");
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldMergeConcurrentSendsFromOtherThreads(BackendType backend) {
        connect(backend);
        Flux.range(0, 4).flatMap(i -> server.send(numbers(10_000).subscribeOn(Schedulers.boundedElastic())))
                .then(server.completeOutbound()).subscribe();
        StepVerifier.create(client.receive(StreamTest::number).publishOn(Schedulers.parallel(), 64).count())
                .expectNext(40_000L).expectComplete().verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGiveEachTagADemandOfItsOwn(BackendType backend) {
        connect(backend);
        for (long tag = 1; tag <= 50; tag++) {
            NetioStream stream = server.stream(tag);
            stream.send(numbers(1_000)).then(stream.completeOutbound()).subscribe();
        }
        client.stream(1).receive().subscribe(new reactor.core.publisher.BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {
                // never asks for anything
            }
        });
        StepVerifier.create(Flux.range(2, 49).flatMap(tag -> client.stream(tag).receive(StreamTest::number).count(), 49))
                .expectNextSequence(java.util.Collections.nCopies(49, 1_000L)).expectComplete().verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldCompleteATagThatIsSubscribedToLater(BackendType backend) {
        connect(backend);
        server.stream(5).send(Flux.empty()).block(PATIENCE);
        server.stream(5).completeOutbound().subscribe();
        StepVerifier.create(client.stream(5).receive()).expectComplete().verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldSubscribeAgainToATagAndRefuseItTwiceAtATime(BackendType backend) {
        connect(backend);
        NetioStream here = server.stream(7);
        Flux<Long> there = client.stream(7).receive(StreamTest::number);
        for (int i = 0; i < 3; i++) {
            here.send(numbers(10)).then(here.completeOutbound()).subscribe();
            StepVerifier.create(there.count()).expectNext(10L).expectComplete().verify(PATIENCE);
        }
        there.subscribe(n -> { }, error -> { });
        StepVerifier.create(there).expectErrorSatisfies(error -> assertThat(error).isInstanceOf(NetioStreamException.class)
                .hasMessageContaining("subscribed to tag 7 already")).verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldLeaseMessagesInPagesAndInParts(BackendType backend) {
        connect(backend);
        server.send(Flux.range(0, 300).map(n -> ByteBuffer.allocate(n % 10 == 0 ? 5_000 : 100).putLong(0, n)))
                .then(server.completeOutbound()).subscribe();
        List<Lease> leases = client.receiveLeased().collectList().block(PATIENCE);
        assertThat(leases).hasSize(300);
        for (int i = 0; i < 300; i++) {
            try (Lease lease = leases.get(i)) {
                assertThat(lease.buffer().getLong(0)).isEqualTo(i);
            }
        }
        server.stream(1).send(numbers(1_000)).subscribe();
        StepVerifier.create(client.stream(1).receive().take(1_000).count()).expectNext(1_000L).expectComplete().verify(PATIENCE);
    }

    /** However many messages there are in a page, it is one receive buffer. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldLeaseTheMessagesOfAPageTogether(BackendType backend) {
        connect(backend, s -> s, c -> c.leasePolicy(LeasePolicy.WAIT));
        List<Lease> leases = new CopyOnWriteArrayList<>();
        client.receiveLeased().subscribe(leases::add);
        for (int round = 1; round <= 2; round++) {
            server.send(numbers(100)).block(PATIENCE);
            int expected = 100 * round;
            Link.await(() -> leases.size() == expected, () -> leases.size() + " leases");
            assertThat(client.statistics().leasedBuffers()).isBetween((long) round, (long) LEASABLE);
        }
        assertThat(client.statistics().leaseCopies()).isZero();
        leases.subList(0, 199).forEach(Lease::release);
        assertThat(client.statistics().leasedBuffers()).isEqualTo(1);
        assertThat(number(leases.getLast().buffer())).isEqualTo(99);
        leases.getLast().release();
        assertThat(client.statistics().leasedBuffers()).isZero();
    }

    /** Each takes a page of its own. */
    private static Flux<ByteBuffer> pages(int count) {
        return Flux.range(0, count).map(n -> ByteBuffer.allocate(2_000));
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldDeliverWhatWaitsForLeasesOnAStreamThatIsComplete(BackendType backend) throws Exception {
        connect(backend, s -> s, c -> c.leasePolicy(LeasePolicy.WAIT));
        NetioStream stream = server.stream(3);
        CompletableFuture<Void> sent = stream.send(pages(LEASABLE + 2)).then(stream.completeOutbound()).toFuture();
        BlockingQueue<Lease> leases = new LinkedTransferQueue<>(); // whose add never blocks: it is called on the loop
        CompletableFuture<Throwable> ended = new CompletableFuture<>();
        client.stream(3).receiveLeased().subscribe(leases::add, ended::complete, () -> ended.complete(null));
        sent.orTimeout(30, TimeUnit.SECONDS).join();
        leases.take().release();
        Link.await(() -> leases.size() == LEASABLE, () -> leases.size() + " leases");
        client.dispose();
        assertThat(ended.orTimeout(30, TimeUnit.SECONDS).join()).isInstanceOf(NetioAbortedException.class)
                .hasMessageContaining("still waiting for demand");
        leases.forEach(Lease::release);
        Link.await(() -> client.statistics().creditsInUse() == 0, () -> client.statistics().toString());
    }

    /** Such messages wait only for leases that are out: after a cancel for nothing, and their page is a credit of the peer. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGiveBackWhatWaitsOnAStreamThatIsCompleteAndCancelled(BackendType backend) {
        connect(backend, s -> s, c -> c.leasePolicy(LeasePolicy.WAIT));
        NetioStream stream = server.stream(3);
        CompletableFuture<Void> sent = stream.send(pages(LEASABLE + 2)).then(stream.completeOutbound()).toFuture();
        List<Lease> leases = new CopyOnWriteArrayList<>();
        Disposable receiving = client.stream(3).receiveLeased().subscribe(leases::add);
        sent.orTimeout(30, TimeUnit.SECONDS).join();
        Link.await(() -> leases.size() == LEASABLE, () -> leases.size() + " leases");
        receiving.dispose();
        leases.forEach(Lease::release);
        Link.await(() -> ConnectionProbe.onLoop(engine(client), posted -> StreamProbe.heldPages(engine(client))) == 0,
                () -> client.statistics().toString());
        assertThat(client.statistics().creditsInUse()).isZero();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldWorkWithChecksums(BackendType backend) {
        connect(backend, s -> s.framing(Framing.stream().checksums(true)), c -> c);
        server.send(numbers(10_000)).then(server.completeOutbound()).subscribe();
        StepVerifier.create(client.receive().count()).expectNext(10_000L).expectComplete().verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldRefuseAPeerWithoutStreams(BackendType backend) {
        DisposableServer raw = NetioServer.create().framing(Framing.raw()).backend(backend).runOn(loops).bindNow();
        assertThatThrownBy(() -> NetioClient.create().backend(backend).framing(Framing.stream()).runOn(loops).port(raw.port())
                .connectNow()).satisfiesAnyOf(
                        error -> assertThat(error).isInstanceOf(NetioProtocolException.class)
                                .hasMessageContaining("the peer said nothing: it does not use STREAM framing"),
                        error -> assertThat(error).hasMessageContaining("the handshake with"));
        raw.dispose();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldTellASenderThatItsPeerHasGoneSilent(BackendType backend) throws IOException {
        DisposableServer listening = NetioServer.create().backend(backend).runOn(loops).keepAlive(Duration.ofSeconds(3))
                .handle((in, out) -> in.receive().then().and(out.send(Mono.just(ByteBuffer.allocate(4_000))))).bindNow();
        try (FaultyProxy proxy = new FaultyProxy(new InetSocketAddress("127.0.0.1", listening.port()), FaultyProxy.Fault.STALL,
                false, 1_000)) {
            client = NetioClient.create().backend(backend).runOn(loops).keepAlive(Duration.ofSeconds(30)).port(proxy.port())
                    .connectNow();
            connections.add(client);
            client.receive().subscribe(message -> { }, error -> { }); // it gets stuck in the proxy, and all behind it
            assertThatThrownBy(() -> client.send(numbers(1).concatWith(Flux.never())).block(PATIENCE))
                    .isInstanceOf(NetioAbortedException.class).hasMessageContaining("the peer has said nothing for");
        }
        listening.dispose();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldHaveNoStreamsWithRawFraming(BackendType backend) {
        DisposableServer raw = NetioServer.create().framing(Framing.raw()).backend(backend).runOn(loops).bindNow();
        client = NetioClient.create().framing(Framing.raw()).backend(backend).runOn(loops).port(raw.port()).connectNow();
        connections.add(client);
        assertThatThrownBy(() -> client.stream(1)).isInstanceOf(NotSupportedException.class)
                .hasMessageContaining("configure framing(Framing.stream()) on both sides");
        raw.dispose();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldRefuseSlicesOfARegion(BackendType backend) {
        connect(backend);
        try (NetioRegion region = NetioRegion.allocate(1024)) {
            for (NetioOutbound out : List.of(server, server.stream(1))) {
                assertThatThrownBy(() -> out.sendRegion(Flux.just(region.slice(0, 8))).block(PATIENCE))
                        .isInstanceOf(NotSupportedException.class).hasMessageContaining("PAGE and STREAM framing pack messages")
                        .hasMessageContaining("configure framing(Framing.raw()) on both sides");
            }
        }
    }
}
