// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.transport.backend.ConnectionParameters;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.function.IntConsumer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.publisher.SynchronousSink;

/**
 * The stream of a round with NetioConnection's send and receive instead of the backend. Its loops always sleep, and its
 * connections have two send buffers more than asked for.
 */
final class FlowRound {
    static final Framing RAW = Framing.raw().endSignal(EndSignal.EMPTY_MESSAGE);

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);
    private static final String ADDRESS = "127.0.0.1";

    private final Work work;
    private final Meter meter;
    private final ByteBuffer message;
    private long number;
    private long until;

    private FlowRound(Work work) {
        this.work = work;
        this.meter = new Meter(work);
        this.message = ByteBuffer.allocateDirect(work.size()).order(ByteOrder.LITTLE_ENDIAN);
    }

    static Outcome receive(Work work, Framing framing, IntConsumer port) {
        FlowRound round = new FlowRound(work);
        Sinks.One<Outcome> outcome = Sinks.one();
        NetioLoops loops = NetioLoops.create("bench", 1);
        try {
            NetioServer settings = NetioServer.create().host(ADDRESS).port(0).provider(work.provider()).runOn(loops)
                    .byteOrder(ByteOrder.LITTLE_ENDIAN).framing(framing)
                    .receiveBuffers(bufferSize(work, framing), work.inFlight())
                    .sendBuffers(bufferSize(work, framing), back(framing));
            DisposableServer server = settings.handle((inbound, outbound) -> inbound.receive(round::check).then()
                            .doOnSuccess(end -> outcome.tryEmitValue(round.end()))
                            .doOnError(outcome::tryEmitError))
                    .bindNow();
            port.accept(server.port());
            return await(work, outcome.asMono());
        } finally {
            loops.disposeLater(LAST_WORDS).block(); // the sender is to know that it has all arrived
        }
    }

    static Outcome send(Work work, Framing framing, int port) {
        FlowRound round = new FlowRound(work);
        NetioLoops loops = NetioLoops.create("bench", 1);
        try {
            NetioClient client = NetioClient.create().host(ADDRESS).port(port).provider(work.provider()).runOn(loops)
                    .byteOrder(ByteOrder.LITTLE_ENDIAN)
                    .framing(framing).receiveBuffers(bufferSize(work, framing), back(framing))
                    .sendBuffers(bufferSize(work, framing), work.inFlight());
            NetioConnection connection = client.connectNow();
            Mono<Outcome> sent = Mono.defer(() -> {
                round.begin();
                return connection.send(Flux.generate(round::next)).then(Mono.fromSupplier(round::end))
                        .flatMap(outcome -> connection.completeOutbound().thenReturn(outcome));
            });
            return await(work, sent.subscribeOn(connection.scheduler()));
        } finally {
            loops.dispose();
        }
    }

    /** A buffer is a message, or a page. */
    private static int bufferSize(Work work, Framing framing) {
        return framing == RAW ? work.size() : ConnectionParameters.DEFAULT_BUFFER_SIZE;
    }

    /** Buffers for the direction back: for nothing, or for control frames. */
    private static int back(Framing framing) {
        return framing == RAW ? 1 : 8;
    }

    private static Outcome await(Work work, Mono<Outcome> outcome) {
        Outcome result = outcome.block(PATIENCE.plusMillis(work.warmupMillis() + work.millis()));
        if (result == null) {
            throw new IllegalStateException("no outcome");
        }
        return result;
    }

    private void begin() {
        meter.begin();
        until = System.nanoTime() + (work.warmupMillis() + work.millis()) * 1_000_000;
    }

    /** The next message, always in the same buffer: send copies it before it asks for another. */
    private void next(SynchronousSink<ByteBuffer> sink) {
        if (number % Meter.CLOCK_EVERY == 0 && meter.clock(number) - until >= 0) {
            sink.complete();
            return;
        }
        message.putLong(0, number++);
        sink.next(message);
    }

    /** Always the same object: what is counted is the library's own work. */
    private FlowRound check(ByteBuffer data) {
        Role.expect(data.getLong(0), number++);
        if (number % Meter.CLOCK_EVERY == 1) {
            if (number == 1) {
                meter.begin();
            }
            meter.clock(number);
        }
        return this;
    }

    private Outcome end() {
        meter.end();
        return meter.outcome(number);
    }
}
