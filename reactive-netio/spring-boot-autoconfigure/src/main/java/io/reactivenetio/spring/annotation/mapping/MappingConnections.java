// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.mapping;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.spring.NetioClients;
import io.reactivenetio.spring.NetioKeepAlive;
import io.reactivenetio.spring.NetioPhases;
import io.reactivenetio.spring.annotation.NetioMapping;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** Keeps the connections open on which clients answer requests: nobody else may need them. */
public final class MappingConnections implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(NetioMapping.class);
    private static final int MOST_DOUBLINGS = 10;
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final MappingRegistry mappings;
    private final NetioClients clients;
    private final NetioKeepAlive keepAlive;
    private Disposable.Composite kept = Disposables.composite();
    private volatile boolean running;

    /** {@code keepAlive} is held while there are such connections. */
    public MappingConnections(MappingRegistry mappings, NetioClients clients, NetioKeepAlive keepAlive) {
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
            kept.add(new Kept(name).subscribe());
        }
        if (!names.isEmpty()) {
            keepAlive.hold(this);
        }
    }

    /** The connection of one client, which is made anew when it is lost. */
    private final class Kept {
        private final String name;
        /** Attempts that have failed since there was a connection. One signal at a time reads and writes it. */
        private int failures;

        Kept(String name) {
            this.name = name;
        }

        Disposable subscribe() {
            return clients.connection(name).doOnNext(this::connected).flatMap(NetioConnection::onDispose)
                    .then(Mono.<Void>error(() -> new IllegalStateException("the connection is over")))
                    .retryWhen(Retry.from(signals -> signals.concatMap(signal -> pause(signal.failure()))))
                    .subscribe();
        }

        private void connected(NetioConnection connection) {
            failures = -1; // its end is no failed attempt
            LOG.info("client '{}' is connected to {}, and its @NetioMapping methods answer there", name,
                    connection.remoteAddress());
        }

        private Mono<Long> pause(Throwable failure) {
            failures++;
            if (failures == 1) {
                LOG.warn("client '{}' cannot connect, so its @NetioMapping methods answer nobody: {}. It tries again until it"
                        + " can", name, failure.toString());
            }
            Duration pause = PAUSE.multipliedBy(1L << Math.clamp(failures - 1, 0, MOST_DOUBLINGS));
            return Mono.delay(pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE);
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
