// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.Lease;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** Leases on messages that share a page, or were put together from several. */
@Timeout(120)
class LeasedPagesTest {
    private static final int LARGE = 200_000;
    private static final BackendType BACKEND = BackendType.TCP;

    private final NetioLoops loops = NetioLoops.create("pages", 2);

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private TwoEnds.Connected ends() {
        return TwoEnds.connected(loops, BACKEND, server -> server.framing(Framing.stream()),
                client -> client.framing(Framing.stream()));
    }

    private static ByteBuffer message(int number, int bytes) {
        ByteBuffer message = ByteBuffer.allocate(bytes);
        while (message.remaining() >= Integer.BYTES) {
            message.putInt(number);
        }
        return message.rewind();
    }

    /** The number that the message consists of. */
    private static int number(Lease lease) {
        ByteBuffer message = lease.buffer();
        int number = message.getInt(0);
        for (int i = 0; i + Integer.BYTES <= message.limit(); i += Integer.BYTES) {
            if (message.getInt(i) != number) {
                throw new AssertionError("another message at " + i + " of message " + number);
            }
        }
        return number;
    }

    private static void send(TwoEnds.Connected ends, int messages) {
        ends.client().send(Flux.range(0, messages).map(i -> message(i, LARGE))).then(ends.client().completeOutbound())
                .subscribe();
    }

    private static Lease next(BlockingQueue<Lease> leases) throws InterruptedException {
        Lease lease = leases.poll(30, TimeUnit.SECONDS);
        assertThat(lease).isNotNull();
        return lease;
    }

    @Test
    void shouldKeepALargeMessageWhileOthersComeAndGo() {
        TwoEnds.Connected ends = ends();
        int messages = 400;
        Queue<Lease> kept = new ArrayDeque<>();
        send(ends, messages);
        List<Integer> numbers = new ArrayList<>();
        ends.server().receiveLeased().doOnNext(lease -> {
            kept.add(lease);
            if (kept.size() > 3) {
                try (Lease oldest = kept.remove(); Lease again = oldest.retain()) {
                    oldest.release();
                    numbers.add(number(again));
                }
            }
        }).blockLast(PATIENCE);
        kept.forEach(lease -> {
            numbers.add(number(lease));
            lease.release();
        });
        assertThat(numbers).hasSize(messages).isSorted().doesNotHaveDuplicates();
        Link.await(() -> ends.server().statistics().leasedBuffers() == 0, () -> "all leases to be back");
    }

    @Test
    void shouldGiveLargeMessagesBackFromOtherThreads() {
        TwoEnds.Connected ends = ends();
        int messages = 400;
        send(ends, messages);
        List<Integer> numbers = ends.server().receiveLeased()
                .publishOn(Lease.scheduler(Schedulers.parallel()), 4)
                .map(lease -> {
                    try (lease) {
                        return number(lease);
                    }
                })
                .collectList().block(PATIENCE);
        assertThat(numbers).hasSize(messages).isSorted().doesNotHaveDuplicates();
        Link.await(() -> ends.server().statistics().leasedBuffers() == 0, () -> "all leases to be back");
    }

    @Test
    void shouldHoldOnePageForAllItsLeasesAndGiveItBackWithTheLast() throws Exception {
        TwoEnds.Connected ends = ends();
        BlockingQueue<Lease> leases = new LinkedTransferQueue<>();
        ends.server().receiveLeased().subscribe(leases::add, error -> { });
        ends.client().send(Flux.range(0, 100).map(i -> message(i, 64))).block(PATIENCE);
        List<Lease> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            all.add(next(leases));
        }
        long pages = ends.server().statistics().leasedBuffers();
        assertThat(pages).isBetween(1L, 99L);
        for (int i = 0; i < 99; i++) {
            assertThat(number(all.get(i))).isEqualTo(i);
            all.get(i).release();
        }
        assertThat(ends.server().statistics().leasedBuffers()).isEqualTo(1);
        assertThat(number(all.get(99))).isEqualTo(99);
        all.get(99).release();
        assertThat(ends.server().statistics().leasedBuffers()).isZero();
    }

    /** What has been given back does not keep the others from being found. */
    @Test
    void shouldFindALostLeaseAlthoughOthersOfItsPageAreKept() throws Exception {
        TwoEnds.Connected ends = ends();
        BlockingQueue<Lease> leases = new LinkedTransferQueue<>();
        ends.server().receiveLeased().subscribe(leases::add, error -> { });
        ends.client().send(Flux.range(0, 10).map(i -> message(i, 64))).block(PATIENCE);
        List<Lease> released = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            Lease lease = next(leases);
            released.add(lease);
            lease.release();
        }
        next(leases); // and lost
        Link.await(() -> {
            System.gc();
            return ends.server().statistics().leasedBuffers() == 0;
        }, () -> "the lost lease to be found");
        assertThat(released).allMatch(Lease::isReleased);
        Link.await(() -> {
            ends.client().send(Flux.range(0, 10).map(i -> message(i, 64))).block(PATIENCE);
            return leases.size() >= 10;
        }, () -> "further messages");
    }

    /** A lease that is lost is found also if the page waits for demand for its other messages. */
    @Test
    void shouldFindALostLeaseOfAPageThatWaitsForDemand() throws Exception {
        TwoEnds.Connected ends = ends();
        BlockingQueue<Lease> leases = new LinkedTransferQueue<>();
        BaseSubscriber<Lease> subscriber = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                subscription.request(1);
            }

            @Override
            protected void hookOnNext(Lease lease) {
                leases.add(lease);
            }
        };
        ends.server().receiveLeased().subscribe(subscriber);
        ends.client().send(Flux.range(0, 10).map(i -> message(i, 64))).subscribe();
        next(leases); // and lost
        Link.await(() -> {
            System.gc();
            return ends.server().statistics().leasedBuffers() == 0;
        }, () -> "the lost lease to be found");
        subscriber.request(9);
        for (int i = 1; i < 10; i++) {
            Lease lease = next(leases);
            assertThat(number(lease)).isEqualTo(i);
            lease.release();
        }
    }
}
