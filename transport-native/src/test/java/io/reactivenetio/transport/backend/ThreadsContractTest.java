// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.SendCompletion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Which threads may call a backend, and what happens if they do. */
@OverEveryCombination
class ThreadsContractTest extends Contract {
    ThreadsContractTest(Combination combination) {
        super(combination);
    }

    private static <T> T join(CompletableFuture<T> future) {
        return future.orTimeout(Party.BOUND.toSeconds(), TimeUnit.SECONDS).join();
    }

    private static void join(List<Thread> threads) {
        for (Thread thread : threads) {
            try {
                assertThat(thread.join(Party.BOUND)).as("ended in time").isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    // ---- UNSAFE

    @Test
    void shouldRefuseCallsFromOtherThreads() {
        Assumptions.assumeFalse(combination.isSafe(), "of UNSAFE backends only");
        ListenEndpoint listener = server.listen(SMALL);
        Peer peer = client.connect(listener, SMALL);
        NetworkBackend backend = client.backend;
        SendBuffer buffer = Objects.requireNonNull(client.on(() -> backend.getBuffer(peer.endpoint)));
        ConnectionParameters parameters = client.translate(SMALL);
        List<Runnable> calls = List.of(() -> backend.getBuffer(peer.endpoint),
                () -> backend.sendBuffer(peer.endpoint, buffer, SendCompletion.TRANSMITTED),
                () -> backend.sendZeroCopy(peer.endpoint, new GatherList(), 1, SendCompletion.TRANSMITTED),
                () -> backend.sendCopy(peer.endpoint, ByteBuffer.allocate(1)),
                () -> backend.closeActiveEndpoint(peer.endpoint), () -> backend.freeSendBuffers(peer.endpoint),
                () -> backend.creditsPosted(peer.endpoint), backend::close, buffer::release,
                () -> server.backend.closeListenEndpoint(listener), () -> server.backend.stopListening(listener),
                () -> backend.openActiveEndpoint(peer.endpoint.remoteAddress(), parameters));
        for (Runnable call : calls) {
            assertThatThrownBy(call::run).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("on thread " + Thread.currentThread().getName() + ", not on the event loop");
        }
        assertThat(peer.closed).isZero();
        client.run(buffer::release);
        client.closeEndpoint(client.connect(listener, SMALL)); // it listens as before
    }

    // ---- SAFE

    private ConcurrentLinkedQueue<Integer> listenForNumbers() {
        ConcurrentLinkedQueue<Integer> arrived = new ConcurrentLinkedQueue<>();
        server.onEstablished = peer -> {
            peer.numbered = false;
            peer.hold = true;
        };
        server.onData = peer -> {
            ReceivedBuffer buffer = Objects.requireNonNull(peer.held.poll());
            arrived.add(buffer.data().getInt(0));
            buffer.release();
        };
        return arrived;
    }

    /** Each of four threads finds its own messages in order, though they share one connection and its buffers. */
    @Test
    void shouldKeepTheOrderOfEachThread() {
        Assumptions.assumeTrue(combination.isSafe(), "of SAFE backends only");
        MemoryRegion region = MemoryRegion.allocate(64);
        ConcurrentLinkedQueue<Integer> arrived = listenForNumbers();
        Peer peer = client.connect(server.listen(SMALL), SMALL.withZeroCopy(region, 64, 8));
        int each = TestSettings.scaled(3_000);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int thread = i;
            threads.add(Thread.ofPlatform().start(() -> {
                for (int number = 0; number < each; number++) {
                    while (!sendNumber(peer, thread << 24 | number)) {
                        LockSupport.parkNanos(20_000);
                    }
                }
            }));
        }
        join(threads);
        Party.await(() -> arrived.size() == 4 * each);
        int[] next = new int[4];
        for (int value : arrived) {
            assertThat(value & 0xffffff).isEqualTo(next[value >>> 24]++);
        }
        client.closeEndpoint(peer);
        Party.await(() -> peer.closed == 1);
        region.close();
    }

    /** The loop sends after another thread has, and knows that it has. */
    @Test
    void shouldKeepTheOrderOfSendsElsewhereAndOnTheLoop() {
        Assumptions.assumeTrue(combination.isSafe(), "of SAFE backends only");
        ConcurrentLinkedQueue<Integer> arrived = listenForNumbers();
        MemoryRegion region = MemoryRegion.allocate(64);
        Party.Pair pair = client.connect(server, server.listen(SMALL), SMALL.withZeroCopy(region, 64, 8));
        client.onLoop(() -> {
            for (int number = 1; number <= 6; number++) {
                int next = number;
                boolean elsewhere = number % 2 == 1;
                client.check(elsewhere ? join(CompletableFuture.supplyAsync(() -> sendNumber(pair.opened(), next)))
                        : sendNumber(pair.opened(), next), "not sent: " + next);
            }
            return true;
        });
        Party.await(() -> arrived.size() == 6);
        assertThat(arrived).containsExactly(1, 2, 3, 4, 5, 6);
        region.close();
    }

    /** Every third one as the header of a zero-copy message. */
    private boolean sendNumber(Peer peer, int value) {
        if (value % 3 == 0) {
            ByteBuffer header = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(value).flip();
            GatherList gather = new GatherList().header(header);
            return peer.out.sendGather(gather, value, SendCompletion.TRANSMITTED) == SendStatus.OK;
        }
        SendBuffer buffer = client.backend.getBuffer(peer.endpoint);
        if (buffer == null) {
            return false;
        }
        SendStatus status = peer.out.tryToSend(buffer.writeInt(value));
        if (status == SendStatus.NO_RESOURCES) {
            buffer.release();
        }
        return status == SendStatus.OK;
    }

    /** Sends, lent buffers, received messages and closes from several threads at once: nothing is lost or told twice. */
    @Test
    void shouldBearSendsAndReleasesThatRaceAClose() {
        Assumptions.assumeTrue(combination.isSafe(), "of SAFE backends only");
        server.onEstablished = peer -> {
            peer.hold = true;
            peer.numbered = false;
        };
        ListenEndpoint listener = server.listen(SMALL);
        for (int round = 0; round < 30; round++) {
            Party.Pair pair = client.connect(server, listener, SMALL);
            AtomicBoolean over = new AtomicBoolean();
            AtomicInteger sent = new AtomicInteger();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                threads.add(Thread.ofPlatform().start(() -> {
                    while (!over.get()) {
                        if (sendOrRelease(pair.opened())) {
                            sent.incrementAndGet();
                        }
                    }
                }));
            }
            threads.add(Thread.ofPlatform().start(() -> {
                while (!over.get() || !pair.accepted().held.isEmpty()) {
                    pair.accepted().release(Math.min(1, pair.accepted().held.size()));
                    LockSupport.parkNanos(20_000);
                }
            }));
            int few = round % 10 * 20;
            Party.await(() -> sent.get() > few);
            (round % 2 == 0 ? client : server).closeEndpoint(round % 2 == 0 ? pair.opened() : pair.accepted());
            Party.await(() -> pair.opened().closed == 1 && pair.accepted().closed == 1);
            over.set(true);
            join(threads);
            assertThat(pair.opened().completed + pair.opened().cancelled).isEqualTo(sent.get());
            assertThat(pair.opened().out.isEmpty()).isTrue();
        }
    }

    private boolean sendOrRelease(Peer peer) {
        SendBuffer buffer = client.backend.getBuffer(peer.endpoint);
        if (buffer == null) {
            LockSupport.parkNanos(20_000);
            return false;
        }
        if (buffer.key() == 0) {
            buffer.release();
            return false;
        }
        SendStatus status = peer.out.tryToSend(buffer.writeLong(1));
        if (status == SendStatus.NO_RESOURCES) {
            buffer.release();
        }
        return status == SendStatus.OK;
    }

    /** The loop has other things to do: what a thread is told does not wait for it. */
    @Test
    void shouldAnswerWhileTheLoopIsBusy() {
        Assumptions.assumeTrue(combination.isSafe(), "of SAFE backends only");
        ListenEndpoint listener = server.listen(SMALL);
        Peer peer = client.connect(listener, SMALL);
        CompletableFuture<Boolean> goOn = new CompletableFuture<>();
        CompletableFuture<Boolean> busy = new CompletableFuture<>();
        client.loop.execute(() -> {
            busy.complete(true);
            join(goOn);
        });
        join(busy);
        List<SendBuffer> lent = new ArrayList<>();
        SendBuffer buffer;
        while ((buffer = client.backend.getBuffer(peer.endpoint)) != null) {
            lent.add(buffer);
        }
        assertThat(lent).hasSize(combination.shared() ? 7 : 8);
        lent.forEach(one -> assertThat(peer.out.tryToSend(one.writeInt(0))).isEqualTo(SendStatus.OK));
        client.backend.closeActiveEndpoint(peer.endpoint);
        Endpoint opening = client.backend.openActiveEndpoint(listener.localAddress(), client.translate(SMALL));
        assertThat(client.backend.freeSendBuffers(opening)).isEqualTo(combination.shared() ? 1 : 8);
        goOn.complete(true);
        Party.await(() -> peer.closed == 1);
        assertThat(peer.completed + peer.cancelled).isEqualTo(lent.size());
        Party.await(() -> client.accepted().established == 1);
    }

    @Test
    void shouldSayThatItIsTooLateOnceTheLoopHasEnded() {
        Assumptions.assumeTrue(combination.isSafe(), "of SAFE backends only");
        ListenEndpoint listener = server.listen(SMALL);
        Peer peer = client.connect(listener, SMALL);
        SendBuffer lent = Objects.requireNonNull(client.backend.getBuffer(peer.endpoint));
        client.loop.close();
        assertThat(client.backend.getBuffer(peer.endpoint)).isNull();
        assertThat(peer.out.tryToSend(lent)).isEqualTo(SendStatus.FAILED);
        client.backend.closeActiveEndpoint(peer.endpoint);
        client.backend.close();
        assertThatThrownBy(() -> client.backend.openActiveEndpoint(listener.localAddress(), client.translate(SMALL)))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
    }

    /** It could not be told of its end any more. */
    @Test
    void shouldOpenNothingOnALoopThatIsAboutToEnd() {
        Assumptions.assumeTrue(combination.isSafe(), "of SAFE backends only");
        ListenEndpoint listener = server.listen(SMALL);
        CompletableFuture<Boolean> goOn = new CompletableFuture<>();
        client.loop.execute(() -> join(goOn));
        client.loop.terminate();
        try {
            assertThatThrownBy(() -> client.backend.openActiveEndpoint(listener.localAddress(), client.translate(SMALL)))
                    .isInstanceOf(IllegalStateException.class).hasMessageContaining("terminated");
        } finally {
            goOn.complete(true);
        }
    }

    /** Whoever keeps books by the key would cross out the new send and keep the old one. */
    @Test
    void shouldLendNoBufferAgainBeforeItsKeyIsTold() {
        Assumptions.assumeTrue(combination.isSafe(), "of SAFE backends only");
        ConnectionParameters one = SMALL.withSendBuffers(64, 1);
        restart(SMALL, one);
        Peer peer = client.connect(server.listen(SMALL), one);
        CompletableFuture<Boolean> reached = new CompletableFuture<>();
        CompletableFuture<Boolean> goOn = new CompletableFuture<>();
        client.onCompleted = completed -> {
            reached.complete(true);
            join(goOn);
        };
        peer.stream(1, 8);
        join(reached);
        SendBuffer lent = client.backend.getBuffer(peer.endpoint);
        goOn.complete(true);
        assertThat(lent).isNull();
        Party.await(() -> peer.resources > 0);
        SendBuffer then = client.backend.getBuffer(peer.endpoint);
        assertThat(then).isNotNull();
        then.release();
    }
}
