// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.connection.ConnectionProbe.engine;
import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.Lease;
import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioStream;
import io.reactivenetio.connection.ConnectionProbe;
import io.reactivenetio.framing.stream.StreamProbe;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Streams beside others that throw, take their time, or have much to say: each goes on, and has its end. */
@Timeout(180)
class StreamEndsTest extends TwoEnds {
    private static final int PAGES = 8;
    private static final int MANY = 100;
    /** Leases on these take up all pages that there may be leases on, and one waits. */
    private static final int FEW = 7;
    private static final int MOST_OF_A_PAGE = 1_500;

    private void connect(BackendType backend, UnaryOperator<NetioClient> options) {
        connect(backend, 2048, PAGES, options);
    }

    private static Flux<ByteBuffer> messages(int count, int size) {
        return Flux.range(0, count).map(n -> ByteBuffer.allocate(size).putInt(0, n));
    }

    private void publish(long tag, Flux<ByteBuffer> messages) {
        NetioStream stream = server.stream(tag);
        stream.send(messages).then(stream.completeOutbound()).subscribe(nothing -> { }, error -> { });
    }

    /** Takes leases of a stream without giving any back. */
    private static final class Hoard {
        final BlockingQueue<Lease> leases = new LinkedTransferQueue<>();
        final CompletableFuture<Void> end = new CompletableFuture<>();
        final Disposable subscription;

        Hoard(NetioStream stream) {
            subscription = stream.receiveLeased().subscribe(leases::add, end::completeExceptionally, () -> end.complete(null));
        }

        void expect(int count) throws Exception {
            for (int i = 0; i < count; i++) {
                try (Lease lease = leases.poll(30, TimeUnit.SECONDS)) {
                    assertThat(lease).as("lease %d", i).isNotNull();
                    assertThat(lease.buffer().getInt(0)).isEqualTo(i);
                }
            }
            end.get(30, TimeUnit.SECONDS);
        }
    }

    /** As many leases as there may be of a stream of such messages: those after them wait. */
    private Hoard hoard(BackendType backend, int count, int size) {
        connect(backend, settings -> settings.leasePolicy(LeasePolicy.WAIT).framing(Framing.stream().prefetch(0)));
        publish(5, messages(count, size));
        Hoard hoard = new Hoard(client.stream(5));
        Link.await(() -> hoard.leases.size() == ConnectionProbe.leaseCap(PAGES), () -> hoard.leases.size() + " leases");
        return hoard;
    }

    /** Waits for a message behind it. */
    private void awaitEndOfOthers() {
        server.stream(6).send(Flux.just(ByteBuffer.allocate(1))).subscribe(nothing -> { }, error -> { });
        client.stream(6).receive().blockFirst();
    }

    private int heldPages() {
        return ConnectionProbe.onLoop(engine(client), posted -> StreamProbe.heldPages(engine(client)));
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldDeliverWhatWaitsForLeasesWhenItsStreamHasEnded(BackendType backend) throws Exception {
        Hoard hoard = hoard(backend, FEW, MOST_OF_A_PAGE);
        awaitEndOfOthers();
        hoard.expect(FEW);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGiveBackWhatWaitsForLeasesWhenItsStreamHasEndedAndIsCancelled(BackendType backend) {
        Hoard hoard = hoard(backend, FEW, MOST_OF_A_PAGE);
        awaitEndOfOthers();
        hoard.subscription.dispose();
        hoard.leases.forEach(Lease::release);
        Link.await(() -> heldPages() == 0, () -> heldPages() + " pages are held");
    }

    /** A message in parts lies in the heap; it holds its peer back as others do. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldHoldThePeerBackWhileLargeMessagesWaitForLeases(BackendType backend) throws Exception {
        Hoard hoard = hoard(backend, MANY, 5_000);
        assertThat(Eventually.still(() -> client.statistics().receivedMessages())).isLessThanOrEqualTo(PAGES);
        hoard.expect(MANY);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldEndEveryStreamOfAConnectionAlthoughOneThrows(BackendType backend) {
        connect(backend, settings -> settings);
        AtomicInteger ended = new AtomicInteger();
        for (int tag = 0; tag < 10; tag++) {
            boolean throwing = tag % 2 == 0;
            List.of(client.stream(tag).receive().then(), client.stream(tag).send(Flux.never()),
                    client.stream(100 + tag).completeOutbound()).forEach(stream -> stream.subscribe(nothing -> { }, error -> {
                        ended.incrementAndGet();
                        if (throwing) {
                            throw new IllegalStateException("a subscriber that throws");
                        }
                    }));
        }
        server.stream(9).send(Flux.just(ByteBuffer.allocate(1))).onErrorComplete().block(); // it is subscribed to
        server.dispose();
        Link.await(() -> ended.get() == 30, () -> ended + " of 30 have ended");
    }

    /** As the send that was there at the time: retries look for that. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldAbortWhatIsSentAfterThePeerHasCancelled(BackendType backend) {
        connect(backend, settings -> settings);
        server.receive().take(1).subscribe();
        for (int i = 0; i < 2; i++) {
            StepVerifier.create(client.send(messages(MANY, 8))).expectErrorSatisfies(error -> assertThat(error)
                    .isInstanceOf(NetioAbortedException.class).hasMessageContaining("wants no more")).verify(PATIENCE);
        }
    }

    /** Three that always have another message, and a peer that takes two of them at a time. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldShareTheReassemblyBudgetAmongAllWhoNeedIt(BackendType backend) {
        connect(backend, settings -> settings.framing(Framing.stream().maxMessageSize(10_000).reassemblyBudget(20_000)));
        AtomicIntegerArray arrived = new AtomicIntegerArray(3);
        for (int tag = 0; tag < 3; tag++) {
            int number = tag;
            server.stream(tag).send(Flux.generate(sink -> sink.next(ByteBuffer.allocate(10_000))))
                    .subscribe(nothing -> { }, error -> { });
            client.stream(tag).receive(ByteBuffer::remaining).subscribe(n -> arrived.incrementAndGet(number), error -> { });
        }
        Link.await(() -> arrived.get(0) > 0 && arrived.get(1) > 0 && arrived.get(2) > 0, arrived::toString);
        int[] before = {arrived.get(0), arrived.get(1), arrived.get(2)};
        Link.await(() -> arrived.get(0) + arrived.get(1) + arrived.get(2) > before[0] + before[1] + before[2] + 3_000,
                arrived::toString);
        for (int i = 0; i < 3; i++) {
            assertThat(arrived.get(i) - before[i]).as("of 3000: %s", arrived).isGreaterThan(800);
        }
    }

    /** The end is said twice, by the handler and for it; the connection must not be closed before the peer has all. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldDeliverAllOfAHandlerThatSaysTheEndItself(BackendType backend) {
        DisposableServer listening = NetioServer.create().backend(backend).runOn(loops).handle((in, out) ->
                out.completion(SendCompletion.TRANSMITTED).send(messages(MANY, 1_000))
                        .doOnSuccess(done -> out.completeOutbound().subscribe(nothing -> { }, error -> { }))).bindNow();
        for (int i = 0; i < 20; i++) {
            NetioConnection connection = NetioClient.create().backend(backend).runOn(loops).port(listening.port()).connectNow();
            connections.add(connection);
            assertThat(connection.receive().count().block(PATIENCE)).isEqualTo(MANY);
        }
        listening.dispose();
    }
}
