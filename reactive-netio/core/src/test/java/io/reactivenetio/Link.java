// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.flow.FlowProbe;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Two connected ends over loopback, of which one receives numbers into 8 buffers. */
final class Link implements AutoCloseable {
    static final int CREDITS = 8;
    /** Of messages. */
    static final int MANY = 10_000;
    static final int CAP = FlowProbe.leaseCap(CREDITS);
    private static final Duration BOUND = TestSettings.patient(Duration.ofSeconds(30));

    final NetioConnection receiving;
    final NetioConnection sending;
    private final DisposableServer server;

    /** {@code options}: further settings of the receiving side. */
    Link(NetioLoops loops, BackendType backend, UnaryOperator<NetioServer> options) {
        CompletableFuture<NetioConnection> accepted = new CompletableFuture<>();
        server = options.apply(NetioServer.create().framing(Framing.RAW).backend(backend).runOn(loops)
                .rawEnd(RawEnd.EMPTY_MESSAGE)
                .receiveBuffers(64, CREDITS)).doOnConnection(accepted::complete).bindNow();
        sending = NetioClient.create().framing(Framing.RAW).backend(backend).runOn(loops).rawEnd(RawEnd.EMPTY_MESSAGE)
                .port(server.port())
                .connectNow();
        receiving = accepted.orTimeout(BOUND.toSeconds(), TimeUnit.SECONDS).join();
    }

    /** Sends 0 to {@code count - 1}, and the end, in its own time. */
    void send(int count) {
        send(0, count).then(sending.completeOutbound()).subscribe(nothing -> { }, error -> { });
    }

    Mono<Void> send(int first, int count) {
        return sending.send(Flux.range(first, count).map(Link::message));
    }

    static ByteBuffer message(int number) {
        return ByteBuffer.allocate(8).putInt(number).putInt(~number).flip();
    }

    /** The number in a message, which is checked to be one whole message. */
    static int number(ByteBuffer little) {
        int value = Integer.reverseBytes(little.getInt(0));
        if (little.remaining() != 8 || Integer.reverseBytes(little.getInt(4)) != ~value) {
            throw new AssertionError("no message of these tests: " + little);
        }
        return value;
    }

    /** Whether every receive buffer is posted or holds a message that waits for demand, and no lease is out: at one moment. */
    boolean isBalanced() {
        return FlowProbe.onLoop(receiving.flow(), posted -> {
            ConnectionStatistics now = receiving.statistics();
            return now.leasedBuffers() == 0 && now.leasedCopies() == 0 && posted + now.creditsInUse() == CREDITS;
        });
    }

    void awaitBalance(Supplier<String> what) {
        await(this::isBalanced, () -> what.get() + ": " + FlowProbe.creditsPosted(receiving.flow()) + " of " + CREDITS
                + " posted, " + receiving.statistics());
    }

    static void await(BooleanSupplier condition, Supplier<String> what) {
        long deadline = System.nanoTime() + BOUND.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not within " + BOUND + ": " + what.get());
            }
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Override
    public void close() {
        receiving.dispose();
        sending.dispose();
        server.dispose();
    }
}
