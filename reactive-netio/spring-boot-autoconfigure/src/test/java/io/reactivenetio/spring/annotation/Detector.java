// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.spring.annotation.autoconfigure.NetioAnnotationAutoConfiguration;
import io.reactivenetio.spring.autoconfigure.NetioAutoConfiguration;
import io.reactivenetio.spring.codec.NetioCodecAutoConfiguration;
import io.reactivenetio.spring.security.NetioSecurityAutoConfiguration;
import io.reactivenetio.spring.server.NetioServerAutoConfiguration;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Flux;

/** What applications of these tests receive from: a publisher outside of them, whose messages are numbers of 8 bytes. */
final class Detector implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    final NetioLoops loops = NetioLoops.create("detector", 1);
    final NetioPublisher publisher;
    final List<NetioConnection> connections = new CopyOnWriteArrayList<>();
    /** How many messages were asked for, of all tags. */
    final AtomicLong requested = new AtomicLong();
    private UnaryOperator<NetioServer> options = UnaryOperator.identity();
    private DisposableServer server;

    Detector(NetioPublisher publisher) {
        this.publisher = publisher;
    }

    /** Each subscription to one of these tags gets {@code source} of it. */
    static Detector each(Tags tags, LongFunction<Publisher<ByteBuffer>> source) {
        NetioPublisher publisher = NetioPublisher.create();
        Detector detector = new Detector(publisher);
        publisher.publishEach(tags, tag -> Flux.from(source.apply(tag)).doOnRequest(detector.requested::addAndGet));
        return detector.start();
    }

    /** Each subscription to one of these tags gets numbers from 0 on, as many as it asks for. */
    static Detector endless(Tags tags) {
        return each(tags, tag -> Flux.generate(() -> 0L, (n, sink) -> {
            sink.next(number(n));
            return n + 1;
        }));
    }

    /** Each subscription to tag 7 gets the numbers from 0 to {@code count - 1}, and then nothing. */
    static Detector of(int count) {
        return each(Tags.of(7), tag -> Flux.range(0, count).map(Detector::number).concatWith(Flux.never()));
    }

    Detector with(UnaryOperator<NetioServer> settings) {
        options = settings;
        return this;
    }

    Detector start() {
        server = options.apply(publisher.serve(NetioServer.create().backend(BackendType.TCP).runOn(loops))
                .port(server == null ? 0 : server.port()).doOnConnection(connections::add)).bindNow();
        return this;
    }

    /** As a process that is killed: its connections break. */
    void kill() {
        server.dispose();
        connections.forEach(NetioConnection::dispose);
        server.onDispose().block();
        connections.clear();
    }

    int port() {
        return server.port();
    }

    /** An application with a client of this detector. */
    ApplicationContextRunner application() {
        return application("netio.clients.detector.port=" + port(),
                "netio.clients.detector.subscriber.reconnect.min-backoff=20ms");
    }

    static ApplicationContextRunner application(String... properties) {
        return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(
                        NetioAutoConfiguration.class, NetioServerAutoConfiguration.class, NetioCodecAutoConfiguration.class,
                        NetioSecurityAutoConfiguration.class, NetioAnnotationAutoConfiguration.class))
                .withPropertyValues("netio.backend=tcp").withPropertyValues(properties);
    }

    static ByteBuffer number(long n) {
        return ByteBuffer.allocate(Long.BYTES).putLong(0, n);
    }

    static void await(BooleanSupplier condition, Supplier<Object> what) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not within " + PATIENCE + ": " + what.get());
            }
            pause(1);
        }
    }

    static void pause(long millis) {
        try {
            Thread.sleep(millis); // user code that blocks, or a source that takes its time
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        server.dispose();
        connections.forEach(NetioConnection::dispose);
        publisher.dispose();
        loops.dispose();
    }
}
