// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.DisposableServer;
import io.reactivenetio.Framing;
import io.reactivenetio.NetioConnection;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioRequester;
import io.reactivenetio.NetioServer;
import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import reactor.core.publisher.Mono;

/** Round trips by this library's requests and answers, STREAM framing. */
record NetioRequests(BackendType backend) implements Peer {
    private static final long TAG = 1;

    @Override
    public String title() {
        return "STREAM" + (backend == BackendType.ASYNCMSG ? " asyncmsg" : "") + " request(), respond()";
    }

    @Override
    public String settings() {
        return NetioPeer.settings(Framing.STREAM, backend);
    }

    /** One word for a worker's command. */
    String word() {
        return "trips/netio/requests/" + backend.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public Outcome listen(Work work, IntConsumer port) throws Exception {
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        NetioLoops loops = NetioLoops.create("responder", 1);
        try {
            Numbers numbers = new Numbers(work);
            NetioServer settings = NetioPeer.server(work, Framing.STREAM, backend, loops).doOnConnection(connection -> {
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
        NetioLoops loops = NetioLoops.create("requester", 1);
        try {
            NetioConnection connection = NetioPeer.client(work, Framing.STREAM, backend, loops).port(port).connectNow();
            Caller caller = new Caller(connection.requester(TAG), work);
            connection.scheduler().schedule(caller::begin);
            return Loopback.await(work, caller.outcome);
        } finally {
            loops.dispose();
        }
    }

    /** Asks anew when it is answered. */
    private static final class Caller {
        private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        private final NetioRequester requester;
        private final Work work;
        private final Trips trips;

        Caller(NetioRequester requester, Work work) {
            this.requester = requester;
            this.work = work;
            this.trips = new Trips(work);
        }

        void begin() {
            for (int lane = 0; lane < trips.lanes(); lane++) {
                ask(trips.first(lane));
            }
        }

        private void ask(long number) {
            requester.request(ByteBuffer.allocate(work.size()).order(ByteOrder.LITTLE_ENDIAN).putLong(0, number))
                    .subscribe(answer -> answered(Long.reverseBytes(answer.getLong(answer.position()))),
                            outcome::completeExceptionally);
        }

        private void answered(long number) {
            long next = trips.answered(number);
            if (next != Numbers.LAST) {
                ask(next);
            } else if (trips.isOver()) {
                outcome.complete(trips.end());
            }
        }
    }
}
