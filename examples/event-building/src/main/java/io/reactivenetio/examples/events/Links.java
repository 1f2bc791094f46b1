// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.events;

import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The simulated links of a detector. Link i publishes tag i, and its message n is its fragment of event n. */
final class Links implements AutoCloseable {
    /** How many messages wait for a subscriber that is slow; then the oldest are dropped. */
    private static final int QUEUE = 16_384;

    private static final int FRAGMENT = 64;
    private static final int TICKS_PER_SECOND = 200;

    private final Sinks.Empty<Void> end = Sinks.empty();
    private final Sinks.Empty<Void> begin = Sinks.empty();
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicLongArray published;
    private final NetioPublisher publisher;
    private final DisposableServer server;

    /** {@code rate} is in events per second, a multiple of 200. */
    Links(BackendType backend, int links, int rate) {
        published = new AtomicLongArray(links);
        publisher = NetioPublisher.create(SlowPolicy.DROP_OLDEST, QUEUE);
        IntStream.range(0, links).forEach(link -> publisher.publish(link, fragments(link, rate / TICKS_PER_SECOND)));
        server = publisher.serve(NetioServer.create().backend(backend).host("127.0.0.1")).bindNow();
    }

    private Flux<ByteBuffer> fragments(int link, int perTick) {
        return together().thenMany(Flux.interval(Duration.ofSeconds(1).dividedBy(TICKS_PER_SECOND)).onBackpressureBuffer()
                .takeUntilOther(end.asMono()).concatMapIterable(tick -> IntStream.range(0, perTick).mapToObj(i -> {
                    published.lazySet(link, tick * perTick + i + 1);
                    return ByteBuffer.allocate(FRAGMENT).putLong(0, tick * perTick + i);
                }).toList()));
    }

    /** Completes when all links have a subscriber, so that event n is at the same time on all of them. */
    private Mono<Void> together() {
        return Mono.defer(() -> {
            if (begun.incrementAndGet() == published.length()) {
                begin.tryEmitEmpty();
            }
            return begin.asMono();
        });
    }

    int port() {
        return server.port();
    }

    /** Ends all links. Those who subscribe to them get what waits for them, and then the end. */
    void end() {
        end.tryEmitEmpty();
    }

    /** How many messages a link has published; after its end. */
    long published(int link) {
        return published.get(link);
    }

    @Override
    public void close() {
        publisher.dispose();
        server.disposeNow(Duration.ofSeconds(5));
    }
}
