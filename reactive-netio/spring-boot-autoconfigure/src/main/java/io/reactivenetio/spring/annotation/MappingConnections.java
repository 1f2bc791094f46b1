// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import io.reactivenetio.NetioConnection;
import io.reactivenetio.spring.NetioClients;
import io.reactivenetio.spring.NetioKeepAlive;
import io.reactivenetio.spring.NetioPhases;
import java.time.Duration;
import java.util.List;
import org.springframework.context.SmartLifecycle;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** Keeps the connections open on which clients answer requests: nobody else may need them. */
final class MappingConnections implements SmartLifecycle {
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final NetioMappings mappings;
    private final NetioClients clients;
    private final NetioKeepAlive keepAlive;
    private Disposable.Composite kept = Disposables.composite();
    private volatile boolean running;

    MappingConnections(NetioMappings mappings, NetioClients clients, NetioKeepAlive keepAlive) {
        this.mappings = mappings;
        this.clients = clients;
        this.keepAlive = keepAlive;
    }

    @Override
    public synchronized void start() {
        running = true;
        kept = Disposables.composite();
        List<String> names = mappings.clients();
        for (String name : names) {
            kept.add(clients.connection(name).flatMap(NetioConnection::onDispose)
                    .then(Mono.<Void>error(() -> new IllegalStateException("the connection is over")))
                    .retryWhen(Retry.backoff(Long.MAX_VALUE, PAUSE).maxBackoff(LONGEST_PAUSE))
                    .subscribe());
        }
        if (!names.isEmpty()) {
            keepAlive.hold(this);
        }
    }

    @Override
    public synchronized void stop() {
        running = false;
        kept.dispose();
        keepAlive.release(this);
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return NetioPhases.CONSUME;
    }
}
