// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.transport.backend.Addresses;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A publisher that a command serves until its subscribers have gone. Closing it ends the server and the publisher. */
public final class ServedPublisher implements AutoCloseable {
    private static final Duration LOOK = Duration.ofMillis(10);

    private final NetioPublisher publisher;
    private final List<NetioConnection> connections = new CopyOnWriteArrayList<>();
    private final DisposableServer server;

    /** Serves {@code publisher} with {@code plan}, and says on stderr where it listens. */
    public ServedPublisher(NetioPublisher publisher, NetioServer plan) {
        this.publisher = publisher;
        this.server = bind(publisher.serve(plan).doOnConnection(connections::add));
    }

    /** Listens, and says on stderr where. */
    @SuppressWarnings("SystemOut") // where it listens is for people and scripts alike, and stdout is for the result
    public static DisposableServer bind(NetioServer plan) {
        DisposableServer bound = plan.bindNow();
        System.err.println("listening on " + Addresses.format(bound.address()));
        return bound;
    }

    /** Emits when {@code publisher} has {@code enough} subscribers. */
    public static Mono<Long> subscribers(NetioPublisher publisher, int enough) {
        return Flux.interval(LOOK).filter(tick -> publisher.statistics().subscribers() >= enough).next();
    }

    /** Completes when no subscriber is connected any more. */
    public Mono<Void> left() {
        return Flux.interval(LOOK).takeUntil(tick -> connections.stream().allMatch(NetioConnection::isDisposed)).then();
    }

    /** How often all connections together stopped for want of resources to send with. */
    long noResources() {
        return connections.stream().mapToLong(connection -> connection.statistics().noResources()).sum();
    }

    @Override
    public void close() {
        server.dispose();
        publisher.dispose();
    }
}
