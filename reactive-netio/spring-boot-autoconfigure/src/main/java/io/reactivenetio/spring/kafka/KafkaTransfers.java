// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.kafka;

import io.reactivenetio.spring.NetioKeepAlive;
import io.reactivenetio.spring.NetioPhases;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;
import reactor.core.publisher.Mono;

/**
 * The sinks, or the sources, of {@code netio.kafka}. A stop waits until what they have taken is in Kafka, as long as {@code
 * spring.lifecycle.timeout-per-shutdown-phase} allows.
 */
public final class KafkaTransfers implements SmartLifecycle, DisposableBean {
    private static final int PATIENCE_SECONDS = 30;

    private final String kind;
    private final int phase;
    private final Map<String, KafkaTransfer> all;
    private final NetioKeepAlive keepAlive;
    private volatile boolean running;

    /** {@code kind}: sinks or sources. */
    KafkaTransfers(String kind, int phase, Map<String, KafkaTransfer> all, NetioKeepAlive keepAlive) {
        this.kind = kind;
        this.phase = phase;
        this.all = all;
        this.keepAlive = keepAlive;
    }

    /** Sinks or sources. */
    public String kind() {
        return kind;
    }

    /** Returns all transfers by name. */
    public Map<String, KafkaTransfer> all() {
        return all;
    }

    @Override
    public void start() {
        running = true;
        if (!all.isEmpty()) {
            keepAlive.hold(this);
        }
        all.values().forEach(KafkaTransfer::start);
    }

    @Override
    public void stop(Runnable callback) {
        running = false;
        List<Mono<Void>> ends = all.values().stream().map(KafkaTransfer::stop).toList();
        Mono.when(ends).doFinally(signal -> {
            keepAlive.release(this);
            callback.run();
        }).subscribe();
    }

    /** Stops all, and waits until they have, at most half a minute. */
    @Override
    public void stop() {
        CountDownLatch done = new CountDownLatch(1);
        stop(done::countDown);
        try {
            if (!done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                all.values().forEach(KafkaTransfer::abort);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return phase;
    }

    /** A pause does not end the server's connections, and so not what they are served. */
    @Override
    public boolean isPauseable() {
        return phase >= NetioPhases.CONSUME;
    }

    @Override
    public void destroy() {
        keepAlive.release(this);
        all.values().forEach(KafkaTransfer::abort);
    }
}
