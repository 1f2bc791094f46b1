// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.RegionSlice;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NotSupportedException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Sends from memory of the user's: what arrives, what is refused, and that each slice comes back once, whatever happens. */
@Timeout(180)
class RegionTest extends TwoEnds {
    private static final int SIZE = 256 * 1024;
    private static final int SLICES = 40;
    private static final Framing.Raw RAW = Framing.raw().endSignal(EndSignal.EMPTY_MESSAGE);

    private final NetioRegion region = NetioRegion.allocate((long) SLICES * SIZE);
    private final AtomicInteger[] reusable = IntStream.range(0, SLICES).mapToObj(i -> new AtomicInteger())
            .toArray(AtomicInteger[]::new);

    @AfterEach
    void closeRegion() {
        region.close();
    }

    private void connect(BackendType backend, Framing.Raw framing) {
        connect(backend,
                s -> s.framing(RAW).connectTimeout(PATIENCE).receiveBuffers(SIZE, 4),
                c -> c.framing(framing).connectTimeout(PATIENCE)
                        .sendBuffers(1024, 4));
    }

    private void connect(BackendType backend) {
        connect(backend, RAW.region(region));
    }

    /** Slice {@code index} of the region, with its number in the first bytes, and counted when it is reusable. */
    private RegionSlice slice(int index) {
        RegionSlice slice = region.slice((long) index * SIZE, SIZE);
        slice.buffer().putInt(0, index).putInt(SIZE - 4, ~index);
        return slice.onReusable(same -> {
            assertThat(same).isSameAs(slice);
            reusable[index].incrementAndGet();
        });
    }

    private Flux<RegionSlice> slices(int count) {
        return Flux.range(0, count).map(this::slice);
    }

    private static int number(ByteBuffer message) {
        int number = message.getInt(0);
        assertThat(message.getInt(SIZE - 4)).isEqualTo(~number);
        return number;
    }

    private void awaitEachReusableOnce(int count) {
        Link.await(() -> IntStream.range(0, count).allMatch(i -> reusable[i].get() > 0), this::counts);
        settle();
        assertThat(reusable).extracting(AtomicInteger::get).as(counts())
                .containsExactlyElementsOf(IntStream.range(0, SLICES).map(i -> i < count ? 1 : 0).boxed().toList());
    }

    /** What both loops have before them now is over. */
    private void settle() {
        for (NetioConnection connection : List.of(client, server)) {
            for (int i = 0; i < 3; i++) {
                Mono.fromRunnable(() -> { }).subscribeOn(connection.scheduler()).block(PATIENCE);
            }
        }
    }

    private String counts() {
        return "reusable: " + List.of(reusable) + ", sent " + client.statistics();
    }

    /** Until as much is under way as can be: nothing moves any more. */
    private void awaitStandstill() {
        Eventually.await("a first message", () -> client.statistics().sentMessages() > 0);
        Eventually.still(() -> client.statistics().sentMessages());
    }

    private long outstanding(int count) {
        return IntStream.range(0, count).filter(i -> reusable[i].get() == 0).count();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldSendHeadersAndWhatRemainsOfEachSlice(BackendType backend) {
        connect(backend);
        List<String> texts = List.of("", "a", "0123456789abcdef");
        List<RegionSlice> all = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < texts.size(); i++) {
            RegionSlice slice = region.slice(i * 100L + 3, 64).header(ByteBuffer.wrap(texts.get(i).getBytes()));
            slice.buffer().put(("xxbody" + i).getBytes()).flip().position(2);
            all.add(slice);
            expected.add(texts.get(i) + "body" + i);
        }
        all.add(region.slice(1000, 0).header(ByteBuffer.wrap("header".getBytes())));
        expected.add("header");
        CompletableFuture<List<String>> received = server.receive().map(message -> {
            byte[] bytes = new byte[message.remaining()];
            message.get(bytes);
            return new String(bytes);
        }).collectList().toFuture();
        client.sendRegion(Flux.fromIterable(all)).then(client.completeOutbound()).block(PATIENCE);
        assertThat(received.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join()).isEqualTo(expected);
        assertThat(all.get(0).buffer().position()).isEqualTo(2);
        assertThat(all).noneMatch(RegionSlice::isInUse);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldSendManyMessagesThroughAFewSlices(BackendType backend) {
        connect(backend, RAW.region(region, 64, 8));
        int count = TestSettings.scaled(20_000);
        BlockingQueue<RegionSlice> free = new LinkedTransferQueue<>(); // whose add never blocks: it is called on the loop
        for (int i = 0; i < 16; i++) {
            free.add(region.slice(i * 64L, 32).onReusable(free::add));
        }
        CompletableFuture<List<Integer>> received = server.receive(ByteBuffer::getInt).collectList().toFuture();
        Flux<RegionSlice> messages = Flux.range(0, count).publishOn(Schedulers.boundedElastic(), 1).map(n -> {
            try {
                RegionSlice slice = free.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                slice.buffer().putInt(0, n);
                return slice;
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        client.sendRegion(messages).then(client.completeOutbound()).block(PATIENCE);
        assertThat(received.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join())
                .isEqualTo(IntStream.range(0, count).boxed().toList());
        Link.await(() -> free.size() == 16, () -> free.size() + " of 16 slices are back");
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldShareTheConnectionWithPlainSends(BackendType backend) {
        connect(backend, RAW.region(region, 64, 4));
        int count = TestSettings.scaled(3_000);
        CompletableFuture<List<Integer>> received = server.receive(ByteBuffer::getInt).collectList().toFuture();
        Mono.when(
                client.sendRegion(Flux.range(0, count).map(n -> {
                    RegionSlice slice = region.slice(n * 8L, 4);
                    slice.buffer().putInt(0, n);
                    return slice;
                })),
                client.send(Flux.range(0, count).map(n -> ByteBuffer.allocate(4).putInt(0, ~n))),
                client.completion(SendCompletion.TRANSMITTED).sendRegion(Flux.range(0, count).map(n -> {
                    RegionSlice slice = region.slice(SIZE + n * 8L, 4);
                    slice.buffer().putInt(0, n | 1 << 30);
                    return slice;
                }).subscribeOn(Schedulers.parallel())))
                .then(client.completeOutbound()).block(PATIENCE);
        List<Integer> all = received.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        assertThat(all).hasSize(3 * count);
        assertOrdered(all, count, n -> n >= 0 && n < 1 << 30);
        assertOrdered(all, count, n -> n < 0);
        assertOrdered(all, count, n -> n >= 1 << 30);
    }

    private static void assertOrdered(List<Integer> all, int count, Predicate<Integer> which) {
        assertThat(all.stream().filter(which).map(n -> (n < 0 ? ~n : n) & ~(1 << 30)).toList())
                .isEqualTo(IntStream.range(0, count).boxed().toList());
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGiveEachSliceBackOnceWhenAllIsReceived(BackendType backend) {
        connect(backend);
        CompletableFuture<List<Integer>> received = server.receive(RegionTest::number).collectList().toFuture();
        client.sendRegion(slices(SLICES)).then(client.completeOutbound()).block(PATIENCE);
        assertThat(received.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join()).hasSize(SLICES);
        awaitEachReusableOnce(SLICES);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGiveEachSliceBackOnceWhenTheSendIsCancelled(BackendType backend) throws Exception {
        connect(backend);
        AtomicInteger emitted = new AtomicInteger();
        Disposable send = client.sendRegion(slices(SLICES).concatWith(Flux.never())
                .doOnNext(slice -> emitted.incrementAndGet())).subscribe();
        awaitStandstill();
        assertThat(outstanding(emitted.get())).isPositive();
        send.dispose();
        assertThat(client.isDisposed()).isFalse();
        CompletableFuture<Long> received = server.receive(RegionTest::number).count().toFuture();
        client.completeOutbound().block(PATIENCE);
        assertThat(received.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join()).isEqualTo(emitted.get());
        awaitEachReusableOnce(emitted.get());
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGiveEachSliceBackOnceWhenTheUpstreamFails(BackendType backend) {
        connect(backend);
        CompletableFuture<Long> received = server.receive(RegionTest::number).count().toFuture();
        StepVerifier.create(client.sendRegion(slices(7).concatWith(Flux.error(new IllegalArgumentException("upstream")))))
                .expectErrorMessage("upstream").verify(PATIENCE);
        client.completeOutbound().block(PATIENCE);
        assertThat(received.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join()).isEqualTo(7);
        awaitEachReusableOnce(7);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGiveEachSliceBackOnceWhenItIsClosedHere(BackendType backend) throws Exception {
        connect(backend);
        endWithSlicesOutstanding(client);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGiveEachSliceBackOnceWhenThePeerIsGone(BackendType backend) throws Exception {
        connect(backend);
        endWithSlicesOutstanding(server);
    }

    private void endWithSlicesOutstanding(NetioConnection ending) throws Exception {
        AtomicInteger emitted = new AtomicInteger();
        CompletableFuture<Void> sent = client.sendRegion(slices(SLICES).doOnNext(slice -> emitted.incrementAndGet())).toFuture();
        awaitStandstill();
        long left = outstanding(emitted.get());
        assertThat(left).isPositive();
        ending.dispose();
        assertThatThrownBy(() -> sent.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join()).cause()
                .isInstanceOfSatisfying(NetioAbortedException.class, e -> assertThat(e.unsent()).isPositive());
        assertThat(outstanding(emitted.get())).as("when the send has failed").isZero();
        awaitEachReusableOnce(emitted.get());
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldKeepTheMemoryOfAClosedRegionUntilNoConnectionUsesIt(BackendType backend) throws Exception {
        connect(backend);
        Sinks.Many<RegionSlice> source = Sinks.many().unicast().onBackpressureBuffer();
        CompletableFuture<Void> sent = client.sendRegion(source.asFlux()).toFuture();
        slices(SLICES - 1).subscribe(source::tryEmitNext);
        RegionSlice kept = slice(SLICES - 1);
        awaitStandstill();
        assertThat(outstanding(SLICES - 1)).isPositive();
        region.close();
        source.tryEmitNext(kept);
        assertThatThrownBy(() -> region.slice(0, 8)).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
        CompletableFuture<Long> received = server.receive(RegionTest::number).count().toFuture();
        assertThatThrownBy(() -> sent.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join()).cause()
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("its region is closed");
        assertThat(kept.buffer().getInt(0)).isEqualTo(SLICES - 1);
        client.completeOutbound().block(PATIENCE);
        assertThat(received.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join()).isEqualTo(SLICES - 1);
        awaitEachReusableOnce(SLICES);
        client.dispose();
        client.onDispose().block(PATIENCE);
        assertThatThrownBy(() -> kept.buffer().getInt(0)).isInstanceOf(IllegalStateException.class);
        NetioRegion closed = region;
        assertThatThrownBy(() -> connect(backend, RAW.region(closed))).hasMessageContaining("is closed");
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldSayWhatIsWrongWithASlice(BackendType backend) {
        connect(backend, RAW.region(region, 1000, 4));
        server.receive().subscribe(message -> { }, error -> { });
        refused(slice(0), MessageTooLargeException.class, SIZE + " bytes", "at most 1000");
        refused(region.slice(0, 985).header(ByteBuffer.allocate(16)), MessageTooLargeException.class, "1001 bytes",
                "at most 1000");
        refused(region.slice(5, 0), IllegalArgumentException.class, "an empty message ends the stream", "");
        try (NetioRegion other = NetioRegion.allocate(10)) {
            refused(other.slice(1, 9), IllegalArgumentException.class, "slice of 9 bytes at 1", "of another region");
        }
        assertThatThrownBy(() -> region.slice(region.size() - 9, 10)).isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("10 bytes at " + (region.size() - 9)).hasMessageContaining("region of " + region.size());
        assertThatThrownBy(() -> region.slice(-1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> region.slice(Long.MAX_VALUE, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> region.slice(0, 1).header(ByteBuffer.allocate(17)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("17 bytes; at most 16");
        client.sendRegion(Mono.just(region.slice(0, 1000))).block(PATIENCE); // after all that it still works
        assertThat(reusable[0]).hasValue(1);
    }

    private void refused(RegionSlice slice, Class<? extends Exception> kind, String one, String two) {
        StepVerifier.create(client.sendRegion(Mono.just(slice))).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOf(kind).hasMessageContaining(one).hasMessageContaining(two)).verify(PATIENCE);
        assertThat(slice.isInUse()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldRefuseASliceThatIsBeingSent(BackendType backend) throws Exception {
        connect(backend);
        RegionSlice twice = slice(0);
        Disposable first = client.sendRegion(Flux.concat(Flux.range(1, 30).map(this::slice), Flux.just(twice), Flux.never()))
                .subscribe();
        awaitStandstill();
        Link.await(twice::isInUse, () -> "the last one");
        StepVerifier.create(client.sendRegion(Mono.just(twice))).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("is being sent already")).verify(PATIENCE);
        assertThatThrownBy(() -> twice.header(ByteBuffer.allocate(1))).isInstanceOf(IllegalStateException.class);
        server.receive(RegionTest::number).subscribe(n -> { }, error -> { });
        Link.await(() -> reusable[0].get() == 1, this::counts);
        first.dispose();
        awaitEachReusableOnce(31);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldSayThatAConnectionHasNoRegion(BackendType backend) {
        connect(backend, RAW);
        RegionSlice slice = slice(0);
        StepVerifier.create(client.sendRegion(Mono.just(slice))).expectErrorSatisfies(error -> assertThat(error)
                .isInstanceOf(NotSupportedException.class).hasMessageContaining("region(…)")).verify(PATIENCE);
        assertThat(slice.isInUse()).isFalse();
        server.receive().subscribe(message -> { }, error -> { });
        client.send(Mono.just(ByteBuffer.allocate(4))).block(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGoOnWhenAnActionThrows(BackendType backend) {
        connect(backend);
        Queue<RegionSlice> told = new ConcurrentLinkedQueue<>();
        RegionSlice bad = region.slice(0, 8).onReusable(slice -> {
            told.add(slice);
            throw new IllegalStateException("thrown by a test when a slice is reusable");
        });
        server.receive().subscribe(message -> { }, error -> { });
        client.sendRegion(Mono.just(bad)).block(PATIENCE);
        Link.await(() -> told.size() == 1, () -> "told");
        client.sendRegion(Mono.just(bad)).block(PATIENCE);
        Link.await(() -> told.size() == 2, () -> "told");
        assertThat(client.isDisposed()).isFalse();
    }
}
