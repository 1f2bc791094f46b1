// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

import io.reactivenetio.connection.Connection;
import io.reactivenetio.connection.LoopContext;
import io.reactivenetio.loop.EventLoopConfig;
import io.reactivenetio.loop.SimulatedLoop;
import io.reactivenetio.transport.SendCompletion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * One end of a connection, from the source to the backend, without a socket and without a thread of its own: the benchmark's
 * thread takes the turns of its loop. The peer wants everything, and has it at once.
 */
final class SendingEnd implements AutoCloseable, Subscription {
    private static final InetSocketAddress NOBODY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final SimulatedLoop loop = new SimulatedLoop(EventLoopConfig.defaults().withName("micro"), () -> 0);
    private final Connection connection;
    private final ByteBuffer message;
    private @Nullable MemoryBackend backend;
    private @Nullable Throwable failure;
    private @Nullable Subscriber<? super ByteBuffer> sender;
    private long emitted;

    /** Sends messages of {@code size} bytes, as many as it is asked for. */
    SendingEnd(FramingKind framing, int size) {
        message = Memory.message(size);
        loop.loop().onError(thrown -> failure = thrown);
        Arrival demand = Arrival.ofDemand(framing);
        LoopContext context = LoopContext.on(loop.loop(), (type, config, on, callbacks) -> {
            MemoryBackend made = new MemoryBackend(on, callbacks, demand);
            backend = made;
            return made;
        });
        CompletableFuture<@Nullable Connection> connecting = context.connect(NOBODY, demand.config()).toFuture();
        long begin = System.nanoTime();
        while (!connecting.isDone() && System.nanoTime() - begin < PATIENCE_NANOS) {
            loop.turn();
            Thread.onSpinWait();
        }
        connection = Objects.requireNonNull(connecting.getNow(null), "no connection");
        connection.session().send(this::subscribe, SendCompletion.TRANSMITTED).subscribe(done -> { },
                thrown -> failure = thrown);
        Objects.requireNonNull(backend).flow(true);
    }

    private void subscribe(Subscriber<? super ByteBuffer> subscriber) {
        sender = subscriber;
        subscriber.onSubscribe(this);
    }

    @Override
    public void request(long n) {
        Subscriber<? super ByteBuffer> to = Objects.requireNonNull(sender);
        for (long i = 0; i < n; i++) {
            to.onNext(message);
        }
        emitted += n;
    }

    @Override
    public void cancel() {
        // it is closed
    }

    /** Takes turns until so many messages more have been sent, and returns how many have in all. */
    long send(int messages) {
        long goal = emitted + messages;
        while (emitted < goal && failure == null) {
            loop.turn();
        }
        return emitted;
    }

    /** Throws IllegalStateException if something went wrong. */
    @Override
    public void close() {
        Throwable thrown = failure;
        loop.loop().close();
        loop.turn();
        if (thrown != null) {
            throw new IllegalStateException("after " + emitted + " messages", thrown);
        }
    }
}
