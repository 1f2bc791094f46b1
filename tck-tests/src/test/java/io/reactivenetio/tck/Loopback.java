// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.reactivestreams.tck.TestEnvironment;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/**
 * Connections over loopback for the TCK: few buffers, an end of stream, all closed together. Their loops are watched with
 * {@code -Dio.reactivenetio.watchLoops=true}: if anything has blocked on one, {@link #close} says so.
 */
final class Loopback implements AutoCloseable {
    private static final Queue<BlockingOperationError> BLOCKED = new ConcurrentLinkedQueue<>();

    static {
        if (Boolean.getBoolean("io.reactivenetio.watchLoops")) {
            BlockHound.builder().loadIntegrations()
                    .nonBlockingThreadPredicate(before -> before.or(EventLoop::isLoopThread))
                    .addDynamicThreadPredicate(EventLoop::isLoopThread)
                    // at its end a loop waits, 1 us at a time, for those who are just submitting a task
                    .allowBlockingCallsInside("io.reactivenetio.loop.task.Inbox", "drain")
                    .allowBlockingCallsInside("org.slf4j.simple.SimpleLogger", "innerHandleNormalizedLoggingCall")
                    // the TCK's own queues, which have a lock that a test may have at the moment
                    .allowBlockingCallsInside("org.reactivestreams.tck.TestEnvironment$Receptacle", "add")
                    .allowBlockingCallsInside("org.reactivestreams.tck.TestEnvironment$Receptacle", "complete")
                    .allowBlockingCallsInside("org.reactivestreams.tck.TestEnvironment$Promise", "complete")
                    .allowBlockingCallsInside("org.reactivestreams.tck.TestEnvironment$Promise", "completeImmediatly")
                    .blockingMethodCallback(method -> {
                        BlockingOperationError error = new BlockingOperationError(method);
                        BLOCKED.add(error);
                        throw error;
                    })
                    .install();
        }
    }

    private final List<NetioConnection> connections = new CopyOnWriteArrayList<>();
    private final List<DisposableServer> servers = new CopyOnWriteArrayList<>();
    private final BackendType backend;
    private final Framing framing;
    private final int bufferSize;
    private final int prefetch;
    private @Nullable NetioLoops loops;

    Loopback(Variant variant) {
        this.prefetch = variant.prefetch();
        this.backend = variant.backend();
        this.framing = variant.framing();
        this.bufferSize = framing == Variant.STREAM ? 1024 : 64; // its pages are no smaller
    }

    /** For a signal to arrive, on a machine that is busy with other things; for none to arrive; and between two looks. */
    static TestEnvironment environment() {
        return new TestEnvironment(Math.max(10_000L, 500L * TestSettings.SLOWNESS), 200L * TestSettings.SLOWNESS,
                200L * TestSettings.SLOWNESS);
    }

    /** With the first connection: TestNG makes all instances merely to find its tests. */
    private NetioLoops loops() {
        NetioLoops running = loops;
        if (running == null) {
            running = NetioLoops.create("tck", 2);
            loops = running;
        }
        return running;
    }

    private NetioServer server() {
        return NetioServer.create().backend(backend).provider(TestSettings.PROVIDER).host(TestSettings.ADDRESS)
                .runOn(loops()).connectTimeout(TestSettings.PATIENCE).framing(framing)
                .receiveBuffers(bufferSize, 16).sendBuffers(bufferSize, 16);
    }

    private NetioConnection connect(DisposableServer server) {
        servers.add(server);
        NetioClient client = NetioClient.create().backend(backend).provider(TestSettings.PROVIDER)
                .host(TestSettings.ADDRESS).runOn(loops()).connectTimeout(TestSettings.PATIENCE)
                .framing(framing == Variant.STREAM ? Variant.STREAM.prefetch(prefetch) : framing)
                .receiveBuffers(bufferSize, 16).sendBuffers(bufferSize, 16).port(server.port());
        NetioConnection connection = client.connectNow(TestSettings.PATIENCE);
        connections.add(connection);
        return connection;
    }

    /** A connection whose peer sends {@code elements} messages and completes. */
    NetioConnection receiving(long elements) {
        return connect(server().handle((in, out) -> out.send(numbers(elements)).then(out.completeOutbound())
                .then(Mono.never())).bindNow(TestSettings.PATIENCE));
    }

    /** A connection whose peer takes whatever comes. */
    NetioConnection sending() {
        return connect(server().handle((in, out) -> in.receive().then()).bindNow(TestSettings.PATIENCE));
    }

    /** A connection whose peer only asks for what {@code remote}, its subscriber, is told to. */
    NetioConnection sending(CompletableFuture<BaseSubscriber<ByteBuffer>> remote) {
        return connect(server().handle((in, out) -> Mono.<Void>create(sink -> in.receive().subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                remote.complete(this);
            }

            @Override
            protected void hookFinally(SignalType type) {
                if (type != SignalType.CANCEL) { // the peer is told that, and the connection stays
                    sink.success();
                }
            }
        }))).bindNow(TestSettings.PATIENCE));
    }

    static Flux<ByteBuffer> numbers(long elements) {
        return Flux.generate(() -> 0L, (n, sink) -> {
            if (n == elements) {
                sink.complete();
            } else {
                sink.next(message(n));
            }
            return n + 1;
        });
    }

    static ByteBuffer message(long number) {
        return ByteBuffer.allocate(8).putLong(number).flip();
    }

    /** Between tests: what the last one left open. Waits, so that its last signals do not come in the next one. */
    void closeConnections() {
        for (NetioConnection connection : connections) {
            connection.dispose();
            connection.onDispose().block(TestSettings.PATIENCE);
        }
        connections.clear();
        servers.forEach(DisposableServer::dispose);
        servers.clear();
    }

    @Override
    public void close() {
        if (!BLOCKED.isEmpty()) {
            throw new AssertionError("something has blocked on a loop", BLOCKED.peek());
        }
        if (loops != null) {
            loops.dispose();
        }
    }
}
