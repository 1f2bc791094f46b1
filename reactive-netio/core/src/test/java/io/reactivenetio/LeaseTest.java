// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.connection.ConnectionProbe.engine;
import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.Lease;
import io.reactivenetio.connection.ConnectionProbe;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.core.Scannable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Leases one by one: who has the message, for how long, and what happens to who does as if he had. */
@Timeout(180)
class LeaseTest {
    /** Here: what other tests of this JVM have lost is found by the same collection of garbage. */
    private static final Pattern LOST = Pattern.compile("A lease was lost without having been released, and is given back now\\."
            + " It came from receiveLeased\\(\\) at \\S*\\.LeaseTest\\.");

    private final NetioLoops loops = NetioLoops.create("lease", 2);

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private Link link(BackendType backend) {
        return new Link(loops, backend, server -> server);
    }

    private static Lease take(BlockingQueue<Lease> leases) throws InterruptedException {
        Lease lease = leases.poll(30, TimeUnit.SECONDS);
        assertThat(lease).isNotNull();
        return lease;
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldKeepAMessageInItsReceiveBufferUntilReleasedFromAnyThread(BackendType backend) throws Exception {
        try (Link link = link(backend)) {
            BlockingQueue<Lease> leases = new LinkedTransferQueue<>();
            link.receiving.receiveLeased().subscribe(leases::add, error -> { });
            link.send(0, 3).block(PATIENCE);
            Link.await(() -> leases.size() == 3, () -> "three leases");
            for (int i = 0; i < 3; i++) {
                Lease lease = take(leases);
                assertThat(link.receiving.statistics().leasedBuffers()).isEqualTo(3 - i);
                assertThat(Link.number(lease.buffer())).isEqualTo(i);
                assertThat(lease.buffer()).isSameAs(lease.buffer());
                assertThat(lease.buffer().order()).isEqualTo(ByteOrder.BIG_ENDIAN);
                assertThatThrownBy(() -> lease.buffer().put(0, (byte) 1)).isInstanceOf(ReadOnlyBufferException.class);
                int out = 3 - i;
                Link.await(() -> ConnectionProbe.creditsPosted(engine(link.receiving)) == Link.CREDITS - out,
                        () -> "the credits");
                CompletableFuture.runAsync(lease::release).get(30, TimeUnit.SECONDS);
            }
            link.awaitBalance(() -> "after the last release");
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldFindUseAfterReleaseAlthoughTheReceiveBufferHoldsAnotherMessage(BackendType backend) throws Exception {
        try (Link link = link(backend)) {
            BlockingQueue<Lease> leases = new LinkedTransferQueue<>();
            link.receiving.receiveLeased().subscribe(leases::add, error -> { });
            link.send(0, 1).block(PATIENCE);
            Lease stale = take(leases);
            stale.release();
            link.send(1, Link.CREDITS).block(PATIENCE);
            for (int i = 1; i <= Link.CREDITS; i++) { // every receive buffer was used again
                Lease lease = take(leases);
                assertThatIllegalStateException().isThrownBy(stale::buffer).withMessageContaining("after its release");
                assertThatIllegalStateException().isThrownBy(stale::copy).withMessageContaining("after its release");
                assertThatIllegalStateException().isThrownBy(() -> stale.getByte(0)).withMessageContaining("after its release");
                assertThatIllegalStateException().isThrownBy(stale::retain).withMessageContaining("released");
                assertThatIllegalStateException().isThrownBy(stale::release).withMessageContaining("twice");
                stale.close();
                stale.close();
                assertThat(stale.isReleased()).isTrue();
                assertThat(Link.number(lease.buffer())).isEqualTo(i);
                lease.close();
            }
            link.awaitBalance(() -> "after the last release");
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGiveTheBufferBackWithTheLastOfSeveralOwners(BackendType backend) throws Exception {
        try (Link link = link(backend)) {
            BlockingQueue<Lease> leases = new LinkedTransferQueue<>();
            link.receiving.receiveLeased().subscribe(leases::add, error -> { });
            link.send(7, 1).block(PATIENCE);
            Lease first = take(leases);
            first.buffer().getInt();
            Lease second = first.retain();
            assertThat(second.buffer().position()).isZero();
            first.release();
            assertThatIllegalStateException().isThrownBy(first::retain);
            Lease third = second.retain();
            assertThat(Link.number(second.buffer())).isEqualTo(7);
            second.release();
            assertThat(Link.number(third.buffer())).isEqualTo(7);
            assertThat(link.receiving.statistics().leasedBuffers()).isEqualTo(1);
            third.release();
            link.awaitBalance(() -> "after the last owner");
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldOutliveTheConnectionAndItsLoop(BackendType backend) throws Exception {
        BlockingQueue<Lease> leases = new LinkedTransferQueue<>();
        Lease lease;
        try (Link link = link(backend)) {
            link.receiving.receiveLeased().subscribe(leases::add, error -> { });
            link.send(0, 2).block(PATIENCE);
            take(leases).release();
            lease = take(leases);
            link.receiving.dispose();
            link.receiving.onDispose().block(PATIENCE);
            assertThat(Link.number(lease.buffer())).isEqualTo(1);
        }
        loops.dispose();
        assertThat(Link.number(lease.buffer())).isEqualTo(1);
        lease.release();
        assertThatIllegalStateException().isThrownBy(lease::release);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldHoldThePeerBackWithoutDemandAndKeepWhatWaitsThroughACancel(BackendType backend) {
        try (Link link = link(backend)) {
            CompletableFuture<Lease> one = new CompletableFuture<>();
            BaseSubscriber<Lease> subscriber = new BaseSubscriber<>() {
                @Override
                protected void hookOnSubscribe(Subscription subscription) {
                    subscription.request(1);
                }

                @Override
                protected void hookOnNext(Lease value) {
                    one.complete(value);
                }

                @Override
                protected void hookOnComplete() {
                    one.completeExceptionally(new AssertionError("a cancel is not a completion"));
                }
            };
            link.receiving.receiveLeased().subscribe(subscriber);
            link.send(100);
            Link.await(() -> link.receiving.statistics().creditsInUse() == Link.CREDITS - 1, () -> "all buffers full");
            subscriber.cancel();
            one.join().release();
            Link.await(() -> link.receiving.statistics().creditsInUse() == Link.CREDITS, () -> "all buffers full again");
            link.awaitBalance(() -> "after the cancel");
            StepVerifier.create(link.receiving.receiveLeased()).expectError(IllegalStateException.class).verify(PATIENCE);
        }
    }

    /** Nobody can ask for it any more, and who has cancelled does not think of closing what is over. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGiveBackWhatWaitsWhenASubscriberHasCancelledAndThePeerHasGone(BackendType backend) {
        for (boolean cancelFirst : new boolean[] {true, false}) {
            try (Link link = link(backend)) {
                BaseSubscriber<ByteBuffer> subscriber = new BaseSubscriber<>() {
                    @Override
                    protected void hookOnSubscribe(Subscription subscription) {
                        subscription.request(1);
                    }
                };
                link.receiving.receive().subscribe(subscriber);
                link.send(0, 5).block(PATIENCE);
                Link.await(() -> link.receiving.statistics().creditsInUse() == 4, () -> "four that wait");
                if (cancelFirst) {
                    subscriber.cancel();
                }
                link.sending.dispose();
                link.receiving.onDispose().block(PATIENCE);
                subscriber.cancel();
                Link.await(() -> link.receiving.statistics().creditsInUse() == 0, () -> "cancelled first: " + cancelFirst);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldPostTheBufferAgainWhenADecoderThrows(BackendType backend) {
        try (Link link = link(backend)) {
            AtomicInteger seen = new AtomicInteger();
            Flux<Integer> decoded = link.receiving.receive(buffer -> {
                if (seen.incrementAndGet() == 3) {
                    throw new IllegalArgumentException("the third");
                }
                return Link.number(buffer);
            });
            link.send(0, 3).subscribe();
            StepVerifier.create(decoded).expectNext(0, 1).expectErrorMessage("the third").verify(PATIENCE);
            Link.await(() -> ConnectionProbe.creditsPosted(engine(link.receiving)) == Link.CREDITS, () -> "all posted");
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    @EnabledIfSystemProperty(named = "io.reactivenetio.checkBuffers", matches = "true",
            disabledReason = "run in a JVM of its own that has this")
    void shouldThrowOnAccessToABufferThatEscaped(BackendType backend) throws Exception {
        try (Link link = link(backend)) {
            AtomicReference<ByteBuffer> escaped = new AtomicReference<>();
            link.send(0, 1).subscribe();
            link.receiving.receive(buffer -> {
                escaped.set(buffer.slice());
                return buffer.getInt();
            }).blockFirst(PATIENCE);
            assertThatThrownBy(() -> escaped.get().get(0)).isInstanceOf(RuntimeException.class);
        }
        try (Link link = link(backend)) {
            BlockingQueue<Lease> leases = new LinkedTransferQueue<>();
            link.receiving.receiveLeased().subscribe(leases::add, error -> { });
            link.send(0, 1).block(PATIENCE);
            Lease lease = take(leases);
            ByteBuffer buffer = lease.buffer();
            Lease other = lease.retain();
            lease.release();
            assertThatIllegalStateException().isThrownBy(() -> buffer.get(0));
            assertThat(Link.number(other.buffer())).isZero();
            other.release();
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    @EnabledIfSystemProperty(named = "io.reactivenetio.leaseSampling", matches = "1",
            disabledReason = "run in a JVM of its own that has this")
    void shouldFindALeaseThatWasLostAndSayWhereItWasLastUsed(BackendType backend) throws Exception {
        try (Link link = link(backend); Warnings warnings = new Warnings()) {
            BlockingQueue<Lease> leases = new LinkedTransferQueue<>();
            link.receiving.receiveLeased().subscribe(leases::add, error -> { });
            link.send(0, 2).block(PATIENCE);
            lose(leases);
            Lease kept = take(leases);
            Link.await(() -> {
                System.gc();
                return link.receiving.statistics().leasedBuffers() == 1;
            }, () -> "the lost lease to be found");
            // the logger writes line by line, on a thread of its own
            Link.await(() -> warnings.text().contains("LeaseTest.lose(LeaseTest.java:"), warnings::text);
            assertThat(Link.number(kept.buffer())).isEqualTo(1);
            kept.release();
            link.awaitBalance(() -> "after the loss");
            assertThat(LOST.matcher(warnings.text()).results()).as(warnings::text).hasSize(1);
        }
    }

    /** In a method of its own, so that no local variable keeps it. */
    private static void lose(BlockingQueue<Lease> leases) throws InterruptedException {
        assertThat(Link.number(take(leases).buffer())).isZero();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGiveBackWhatTheOperatorsOfAHandlerDiscard(BackendType backend) {
        CompletableFuture<List<Integer>> odd = new CompletableFuture<>();
        try (Link link = new Link(loops, backend, server -> server.handle((in, out) -> in.receiveLeased()
                .publishOn(Schedulers.parallel())
                .filter(lease -> Link.number(lease.buffer()) % 2 == 1)
                .map(lease -> {
                    try (lease) {
                        return Link.number(lease.buffer());
                    }
                })
                .collectList().doOnNext(odd::complete).then(Mono.never())))) {
            link.send(1_000);
            assertThat(odd.orTimeout(30, TimeUnit.SECONDS).join()).hasSize(500).startsWith(1, 3, 5);
            link.awaitBalance(() -> "after the stream");
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldShowReactorWhatItIs(BackendType backend) {
        try (Link link = link(backend)) {
            BaseSubscriber<Lease> subscriber = new BaseSubscriber<>() {
                @Override
                protected void hookOnSubscribe(Subscription subscription) {
                    subscription.request(5);
                }
            };
            CompletableFuture<Scannable> subscription = new CompletableFuture<>();
            link.receiving.receiveLeased().doOnSubscribe(s -> subscription.complete(Scannable.from(s))).subscribe(subscriber);
            Scannable scanned = subscription.orTimeout(30, TimeUnit.SECONDS).join();
            Link.await(() -> Long.valueOf(5).equals(scanned.scan(Scannable.Attr.REQUESTED_FROM_DOWNSTREAM)), () -> "the request");
            assertThat(scanned.scan(Scannable.Attr.RUN_STYLE)).isEqualTo(Scannable.Attr.RunStyle.ASYNC);
            assertThat(scanned.scan(Scannable.Attr.ACTUAL)).isNotNull();
            assertThat(scanned.scan(Scannable.Attr.CANCELLED)).isFalse();
            subscriber.cancel();
            assertThat(scanned.scan(Scannable.Attr.CANCELLED)).isTrue();
        }
    }
}
