// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Listens, takes one connection, and writes what it brings. */
final class Receiver {
    /** Time for the acknowledgements to reach a sender that has nothing more to send; it closes when it has them. */
    private static final Duration LINGER = Patience.ofSeconds(1).dividedBy(2);

    private final HostPort listen;
    private final TransferOptions options;
    private final MessageFile file;
    private final @Nullable Long count;
    private final @Nullable Double limitRate;
    private final HandOver handOver;
    private final Tally tally = new Tally();

    Receiver(HostPort listen, TransferOptions options, MessageFile file, @Nullable Long count, @Nullable Double limitRate) {
        this.listen = listen;
        this.options = options;
        this.file = file;
        this.count = count;
        this.limitRate = limitRate;
        this.handOver = new HandOver(options.bufferSize(), options.buffers());
    }

    Report run() {
        NetioConnection connection = accept();
        tally.start();
        try (StatusLine _ = StatusLine.of(tally::progress, !options.json())) {
            write(connection).block();
            Report report = tally.report(connection.statistics(), handOver.maxBytes()).over(connection.network());
            Mono.firstWithSignal(connection.onDispose(), Mono.delay(LINGER).then()).block();
            return report;
        } catch (NetioAbortedException e) {
            throw CliException.failure(e.getMessage() + ", after " + tally.messages() + " messages and " + tally.bytes()
                    + " bytes", e);
        } finally {
            connection.dispose();
        }
    }

    /** The first connection; later ones are turned away. Nothing is lost: its messages wait for a subscriber. */
    @SuppressWarnings("SystemOut") // where it listens is for people and scripts alike, and stdout is for the result
    private NetioConnection accept() {
        Sinks.One<NetioConnection> first = Sinks.one();
        NetioServer settings = options.network(NetioServer.create()).host(listen.host()).port(listen.port())
                .framing(options.framing())
                .receiveBuffers(options.bufferSize(), options.buffers()).sendBuffers(options.smallBuffer(), 1);
        DisposableServer server = settings
                .doOnConnection(connection -> {
                    if (first.tryEmitValue(connection).isFailure()) {
                        connection.dispose();
                    }
                })
                .bindNow(Patience.ofSeconds(10));
        System.err.println("listening on " + Addresses.format(server.address()));
        NetioConnection connection = Objects.requireNonNull(first.asMono().block());
        server.dispose();
        return connection;
    }

    /** From the loop to the file: demand reaches the peer through what may be on the way there. */
    private Mono<Void> write(NetioConnection connection) {
        Scheduler worker = Schedulers.newSingle("netio-writer", true);
        Pace pace = limitRate == null ? null : new Pace(limitRate, System.nanoTime());
        MessageWriter writer = new MessageWriter(file, handOver, tally, pace, worker);
        Flux<ByteBuffer> messages = connection.receive(handOver::copy);
        handOver.through(messages, count == null ? Long.MAX_VALUE : count, worker).subscribe(writer);
        return writer.done();
    }
}
