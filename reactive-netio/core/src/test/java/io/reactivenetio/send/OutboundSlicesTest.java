// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.RegionSlice;
import io.reactivenetio.connection.StubBackend;
import io.reactivenetio.counters.ConnectionCounters;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.MemoryRegion;
import io.reactivenetio.transport.backend.SendKind;
import io.reactivenetio.transport.backend.SendStatus;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/** Slices of a region beside plain sends, over a backend that does nothing by itself. */
@Timeout(180)
class OutboundSlicesTest {
    private static final int BUFFERS = 20;
    private static final int SLICES = 8;

    private final EventLoop loop = EventLoop.create("slices");
    private final StubBackend backend = new StubBackend(BUFFERS);
    private final RegionState region = new RegionState(MemoryRegion.allocate(1000));
    private final Outbound outbound = new Outbound(loop, backend,
            new Endpoint(new InetSocketAddress("127.0.0.1", 1), null, this), new ConnectionCounters(), BUFFERS, 64,
            new SliceSlots(ConnectionParameters.defaults().withZeroCopy(region.memory(), 100, SLICES)),
            new SharedSendBudget(BUFFERS), false);
    private final AtomicInteger reusable = new AtomicInteger();

    OutboundSlicesTest() {
        turn();
    }

    @AfterEach
    void close() {
        loop.close();
        region.close();
    }

    private void turn() {
        for (int i = 0; i < 5; i++) {
            loop.poll();
        }
    }

    private SliceState slice() {
        SliceState slice = new SliceState(region, 10, 50);
        slice.onReusable(again -> reusable.incrementAndGet());
        return slice;
    }

    private CompletableFuture<Void> send(Flux<? extends RegionSlice> slices, boolean untilDelivered) {
        return new SendMono<RegionSlice>(slices, actual ->
                new SliceSender(outbound, actual, untilDelivered, true)).toFuture();
    }

    private void complete(long key) {
        outbound.onSendCompleted(SendKind.ZERO_COPY, key);
        turn();
    }

    @Test
    void shouldTakeTurnsWithPlainSendersMessageByMessage() {
        Sinks.Many<SliceState> slices = Sinks.many().unicast().onBackpressureBuffer();
        Sinks.Many<ByteBuffer> plain = Sinks.many().unicast().onBackpressureBuffer();
        send(slices.asFlux(), true);
        new SendMono<>(plain.asFlux(), actual -> new CopySender(outbound, actual, true, true)).subscribe();
        turn();
        for (int i = 0; i < 4; i++) {
            slices.tryEmitNext(slice());
            plain.tryEmitNext(ByteBuffer.allocate(1));
        }
        turn();
        assertThat(backend.order.toString()).matches("(sb){4}|(bs){4}");
    }

    @Test
    void shouldHaveNoMoreInFlightThanSlotsAndGoOnWhenOneIsFree() {
        CompletableFuture<Void> sent = send(Flux.range(0, 3 * SLICES).map(i -> slice()), false);
        turn();
        for (int i = 0; i < 3 * SLICES; i++) {
            assertThat(backend.slices).hasSize(Math.min(i + SLICES, 3 * SLICES));
            assertThat(reusable).hasValue(i);
            complete(backend.slices.get(i));
        }
        assertThat(sent).isCompleted();
        assertThat(backend.slices).allMatch(key -> key >= 0 && key < SLICES);
    }

    /** As the tail of a turn, of more than may wait for an acknowledgement, it is not posted at once. */
    @Test
    void shouldGiveBackAlsoWhatIsHeldWhenTheConnectionEnds() {
        Sinks.Many<SliceState> source = Sinks.many().unicast().onBackpressureBuffer();
        CompletableFuture<Void> sent = send(source.asFlux(), true);
        turn();
        for (int i = 0; i < SLICES / 2 + 1; i++) {
            source.tryEmitNext(slice());
            turn();
        }
        assertThat(backend.slices).hasSize(SLICES / 2);
        assertThat(backend.levels).containsOnly(SendCompletion.DELIVERED);
        outbound.close(null, "the test");
        assertThat(reusable).hasValue(SLICES / 2 + 1);
        assertThat(sent.exceptionNow()).isInstanceOfSatisfying(NetioAbortedException.class,
                e -> assertThat(e.unsent()).isEqualTo(SLICES / 2 + 1));
    }

    @Test
    void shouldFailOnlyTheSendThatTheProviderRefuses() {
        backend.mostSpans = 0;
        CompletableFuture<Void> refused = send(Flux.just(slice(), slice()), true);
        turn();
        assertThat(refused.exceptionNow()).isInstanceOf(IllegalArgumentException.class);
        assertThat(reusable).hasValue(1 + 1);
        backend.mostSpans = 1;
        CompletableFuture<Void> sent = send(Flux.range(0, SLICES).map(i -> slice()), true);
        turn();
        assertThat(backend.slices).hasSize(SLICES);
        for (long key = 0; key < SLICES; key++) {
            complete(key);
        }
        assertThat(sent).isCompleted();
    }

    @Test
    void shouldTryAgainWhenThereAreResources() {
        backend.answer = SendStatus.NO_RESOURCES;
        CompletableFuture<Void> sent = send(Flux.just(slice()), false);
        turn();
        assertThat(reusable).hasValue(0);
        backend.answer = SendStatus.OK;
        outbound.onResourcesAvailable();
        turn();
        assertThat(backend.levels).containsExactly(SendCompletion.TRANSMITTED);
        complete(0);
        assertThat(sent).isCompleted();
        assertThat(reusable).hasValue(1);
    }

    @Test
    void shouldLeaveTheSlotsToOthersWhenAnUpstreamIsSlow() {
        for (int i = 0; i < 3 * SLICES; i++) {
            send(Flux.never(), true);
        }
        CompletableFuture<Void> sent = send(Flux.just(slice(), slice()), false);
        turn();
        complete(0);
        complete(1);
        assertThat(sent).isCompleted();
    }

    @Test
    void shouldSendWhatCameBeforeACancel() {
        Sinks.Many<SliceState> source = Sinks.many().unicast().onBackpressureBuffer();
        Disposable send = new SendMono<RegionSlice>(source.asFlux(), actual ->
                new SliceSender(outbound, actual, true, true)).subscribe();
        turn();
        source.tryEmitNext(slice());
        send.dispose();
        turn();
        assertThat(backend.slices).hasSize(1);
        complete(0);
        assertThat(reusable).hasValue(1);
    }
}
