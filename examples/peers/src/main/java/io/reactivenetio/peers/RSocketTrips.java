// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import io.rsocket.RSocket;
import io.rsocket.SocketAcceptor;
import io.rsocket.core.RSocketConnector;
import io.rsocket.transport.netty.server.CloseableChannel;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import reactor.core.publisher.Mono;

/** Round trips by RSocket's request-response, over TCP. */
final class RSocketTrips implements Peer {

    @Override
    public String title() {
        return "RSocket request-response";
    }

    @Override
    public String settings() {
        return RSocketPeer.SETTINGS;
    }

    @Override
    public Outcome listen(Work work, IntConsumer port) throws Exception {
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        Numbers numbers = new Numbers(work);
        CloseableChannel server = RSocketPeer.serve((setup, socket) -> {
            socket.onClose().onErrorComplete().subscribe(null, null, () -> outcome.complete(numbers.end()));
            byte[] message = new byte[work.size()];
            return SocketAcceptor.forRequestResponse(request -> {
                long number = RSocketPeer.number(request);
                request.release();
                numbers.count();
                return Mono.just(RSocketPeer.payload(message, number));
            }).accept(setup, socket);
        });
        try {
            port.accept(server.address().getPort());
            return Loopback.await(work, outcome);
        } finally {
            server.dispose();
        }
    }

    @Override
    public Outcome connect(Work work, int port) throws Exception {
        RSocket socket = RSocketPeer.connect(RSocketConnector.create(), port);
        try {
            Caller caller = new Caller(socket, work);
            caller.begin();
            return Loopback.await(work, caller.outcome);
        } finally {
            socket.dispose();
        }
    }

    /** Asks anew when it is answered. */
    private static final class Caller {
        private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        private final RSocket socket;
        private final byte[] message;
        private final Trips trips;

        Caller(RSocket socket, Work work) {
            this.socket = socket;
            this.message = new byte[work.size()];
            this.trips = new Trips(work);
        }

        void begin() {
            for (int lane = 0; lane < trips.lanes(); lane++) {
                synchronized (trips) {
                    ask(trips.first(lane));
                }
            }
        }

        private void ask(long number) {
            socket.requestResponse(RSocketPeer.payload(message, number)).subscribe(answer -> {
                long answered = RSocketPeer.number(answer);
                answer.release();
                answered(answered);
            }, outcome::completeExceptionally);
        }

        private void answered(long number) {
            synchronized (trips) { // the first requests are made by the thread that connects
                long next = trips.answered(number);
                if (next != Numbers.LAST) {
                    ask(next);
                } else if (trips.isOver()) {
                    outcome.complete(trips.end());
                }
            }
        }
    }
}
