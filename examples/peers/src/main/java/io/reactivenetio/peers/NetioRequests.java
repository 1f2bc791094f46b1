// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioRequester;
import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import reactor.core.publisher.Mono;

/** Round trips by this library's requests and answers, STREAM framing. */
record NetioRequests(Via via) implements Peer {
    private static final long TAG = 1;

    @Override
    public String title() {
        return "STREAM" + via.title() + " request(), respond()";
    }

    @Override
    public String settings() {
        return NetioPeer.tripSettings(Framing.stream(), via);
    }

    @Override
    public boolean spins() {
        return true;
    }

    /** One word for a worker's command. */
    String word() {
        return "trips/netio/requests/" + via.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public Outcome listen(Work work, IntConsumer port) throws Exception {
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        NetioLoops loops = NetioPeer.loops("responder", work, via);
        try {
            Numbers numbers = new Numbers(work);
            NetioServer settings = NetioPeer.server(work, Framing.stream(), via, loops).doOnConnection(connection -> {
                connection.respond(TAG, request -> {
                    numbers.count();
                    return Mono.just(copy(request));
                }).subscribe(null, outcome::completeExceptionally);
                connection.onDispose().subscribe(null, null, () -> outcome.complete(numbers.end()));
            });
            DisposableServer server = settings.bindNow();
            port.accept(server.port());
            return Loopback.await(work, outcome);
        } finally {
            loops.dispose();
        }
    }

    private static ByteBuffer copy(ByteBuffer request) {
        return ByteBuffer.allocate(request.remaining()).put(request).flip();
    }

    @Override
    public Outcome connect(Work work, int port) throws Exception {
        NetioLoops loops = NetioPeer.loops("requester", work, via);
        try {
            NetioConnection connection = NetioPeer.client(work, Framing.stream(), via, loops).port(port).connectNow();
            NetioRequester requester = connection.requester(TAG);
            Caller caller = new Caller(work, (asking, number) -> requester.request(request(work, number)).subscribe(
                    answer -> asking.answered(answer.getLong(answer.position())), asking::failed));
            connection.scheduler().schedule(caller::begin);
            return caller.await();
        } finally {
            loops.dispose();
        }
    }

    private static ByteBuffer request(Work work, long number) {
        return ByteBuffer.allocate(work.size()).order(ByteOrder.LITTLE_ENDIAN).putLong(0, number);
    }
}
