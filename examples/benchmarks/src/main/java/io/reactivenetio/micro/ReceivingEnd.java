// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

import io.reactivenetio.connection.Connection;
import io.reactivenetio.connection.LoopContext;
import io.reactivenetio.loop.EventLoopConfig;
import io.reactivenetio.loop.SimulatedLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection, from the backend's callback to the subscriber, without a socket and without a thread of its own: the
 * benchmark's thread takes the turns of its loop, whose clock stands still.
 */
final class ReceivingEnd implements AutoCloseable {
    private static final InetSocketAddress NOBODY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final SimulatedLoop loop = new SimulatedLoop(EventLoopConfig.defaults().withName("micro"), () -> 0);
    private final int messages;
    private final Connection connection;
    private @Nullable MemoryBackend backend;
    private @Nullable Throwable failure;
    private @Nullable Sum subscriber;
    private long turns;

    /** In each turn {@code messages} of {@code size} bytes arrive, once somebody has subscribed. */
    ReceivingEnd(FramingKind framing, int size, int messages) {
        this.messages = messages;
        loop.loop().onError(thrown -> failure = thrown);
        Arrival arrival = Arrival.of(framing, size, messages);
        LoopContext context = LoopContext.on(loop.loop(), (type, config, on, callbacks) -> {
            MemoryBackend made = new MemoryBackend(on, callbacks, arrival);
            backend = made;
            return made;
        });
        CompletableFuture<@Nullable Connection> connecting = context.connect(NOBODY, arrival.config()).toFuture();
        long begin = System.nanoTime();
        while (!connecting.isDone() && System.nanoTime() - begin < PATIENCE_NANOS) {
            loop.turn();
            Thread.onSpinWait();
        }
        connection = Objects.requireNonNull(connecting.getNow(null), "no connection");
    }

    /** {@code sum} is given each message as it lies in its buffer. */
    void receive(Sum sum) {
        receive(sum, message -> message);
    }

    /** {@code sum} is given what {@code decoder} makes of each message. */
    void receive(Sum sum, Function<ByteBuffer, ByteBuffer> decoder) {
        connection.<ByteBuffer>receive(connection.session().inbound(), decoder).subscribe(sum);
        begin(sum);
    }

    /** {@code sum} is given a copy of each message. */
    void receiveCopies(Sum sum) {
        connection.receive(connection.session().inbound()).subscribe(sum);
        begin(sum);
    }

    /** {@code sum} is shown each message through a lease on it, which is given back at once. */
    void receiveLeased(Sum sum) {
        connection.receiveLeased(connection.session().inbound()).subscribe(new Closing(sum));
        begin(sum);
    }

    private void begin(Sum sum) {
        subscriber = sum;
        loop.turn();
        flow(true);
    }

    private void flow(boolean flows) {
        if (backend != null) {
            backend.flow(flows);
        }
    }

    void turn() {
        turns++;
        loop.turn();
    }

    /** Throws IllegalStateException if the messages of a turn have not reached the subscriber. */
    @Override
    public void close() {
        flow(false);
        loop.loop().close();
        loop.turn();
        if (failure != null || subscriber != null && subscriber.elements() != turns * messages) {
            throw new IllegalStateException("not all messages of " + turns + " turns have arrived", failure);
        }
    }
}
