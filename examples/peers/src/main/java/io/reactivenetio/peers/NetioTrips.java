// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.publisher.Sinks.EmitFailureHandler;

/** Round trips through this library: one stream in each direction, each message sent back as it arrives. */
record NetioTrips(Framing framing, Via via) implements Peer {
    @Override
    public String title() {
        return framing + via.title() + " send(receive())";
    }

    @Override
    public String settings() {
        return NetioPeer.tripSettings(framing, via);
    }

    @Override
    public boolean spins() {
        return true;
    }

    /** One word for a worker's command. */
    String word() {
        return ("trips/netio/" + framing + "/" + via.name()).toLowerCase(Locale.ROOT);
    }

    @Override
    public Outcome listen(Work work, IntConsumer port) throws Exception {
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        NetioLoops loops = NetioPeer.loops("answers", work, via);
        try {
            Numbers numbers = new Numbers(work);
            DisposableServer server = NetioPeer.server(work, framing, via, loops).handle((inbound, outbound) -> outbound.send(
                    inbound.receive().doOnNext(message -> numbers.check(number(message)))).then(outbound.completeOutbound()))
                    .doOnConnection(connection ->
                            connection.onDispose().subscribe(null, null, () -> outcome.complete(numbers.end()))).bindNow();
            port.accept(server.port());
            return Loopback.await(work, outcome);
        } finally {
            loops.dispose();
        }
    }

    private static long number(ByteBuffer message) {
        return message.getLong(message.position());
    }

    private static ByteBuffer message(Work work, long number) {
        return ByteBuffer.allocate(work.size()).order(ByteOrder.LITTLE_ENDIAN).putLong(0, number);
    }

    @Override
    public Outcome connect(Work work, int port) throws Exception {
        NetioLoops loops = NetioPeer.loops("asks", work, via);
        try {
            NetioConnection connection = NetioPeer.client(work, framing, via, loops).port(port).connectNow();
            CompletableFuture<Outcome> outcome = new CompletableFuture<>();
            Sinks.Many<ByteBuffer> requests = Sinks.many().unicast().onBackpressureBuffer();
            Trips trips = new Trips(work);
            Mono<Void> asked = connection.send(requests.asFlux()).then(connection.completeOutbound());
            Mono<Void> answered = connection.receive().doOnNext(answer -> {
                long next = trips.answered(number(answer));
                if (next != Numbers.LAST) {
                    requests.emitNext(message(work, next), EmitFailureHandler.FAIL_FAST);
                } else if (trips.isOver()) {
                    requests.emitComplete(EmitFailureHandler.FAIL_FAST);
                }
            }).then();
            connection.scheduler().schedule(() -> {
                Mono.when(asked, answered).subscribe(null, outcome::completeExceptionally, () -> outcome.complete(trips.end()));
                IntStream.range(0, trips.lanes()).forEach(lane ->
                        requests.emitNext(message(work, trips.first(lane)), EmitFailureHandler.FAIL_FAST));
            });
            return Loopback.await(work, outcome);
        } finally {
            loops.dispose();
        }
    }
}
