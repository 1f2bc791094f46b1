// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.PublisherStatistics;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.stream.LongStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Publishes tag 7 over plain TCP: each message is a number, its own in the run unless the test publishes others. */
final class Detector implements AutoCloseable {
    static final long TAG = 7;
    /** At which it says that it publishes that tag. */
    static final long TAGS = 1;

    private final NetioPublisher publisher;
    private final DisposableServer server;
    private volatile NetioConnection connection;

    Detector(int port, SlowPolicy policy, int queue, Flux<Long> values) {
        this(BackendType.TCP, port, policy, queue, values);
    }

    Detector(BackendType backend, int port, SlowPolicy policy, int queue, Flux<Long> values) {
        publisher = NetioPublisher.create(policy, queue)
                .publish(TAG, values.map(value -> ByteBuffer.allocate(Long.BYTES).putLong(0, value))).publishTags(TAGS);
        server = publisher.serve(NetioServer.create().backend(backend).provider(TestSettings.PROVIDER)
                .host(TestSettings.ADDRESS).port(port)).doOnConnection(last -> connection = last).bindNow();
    }

    /** {@code each} messages in every {@code millis}, until {@code end}. */
    static Flux<Long> paced(int each, int millis, Mono<Void> end) {
        return paced(Long.MAX_VALUE, each, millis).takeUntilOther(end);
    }

    /** {@code total} messages, {@code each} of them in every {@code millis}, and then the end. */
    static Flux<Long> paced(long total, int each, int millis) {
        return Flux.interval(Duration.ofMillis(millis)).onBackpressureBuffer()
                .concatMapIterable(tick -> LongStream.range(tick * each, Math.min(total, (tick + 1) * each)).boxed().toList())
                .take(total);
    }

    /** The last one. */
    NetioConnection connection() {
        return connection;
    }

    int port() {
        return server.port();
    }

    PublisherStatistics statistics() {
        return publisher.statistics();
    }

    @Override
    public void close() {
        publisher.dispose();
        server.disposeNow(Duration.ofSeconds(60));
    }
}
