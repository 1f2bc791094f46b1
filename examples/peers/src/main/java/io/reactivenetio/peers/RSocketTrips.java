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
        CloseableChannel server = RSocketPeer.serve(Sealing.NONE, (setup, socket) -> {
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
        RSocket socket = RSocketPeer.connect(Sealing.NONE, RSocketConnector.create(), port);
        try {
            byte[] message = new byte[work.size()];
            return new Caller(work, (caller, number) -> socket.requestResponse(RSocketPeer.payload(message, number))
                    .subscribe(answer -> {
                        long answered = RSocketPeer.number(answer);
                        answer.release();
                        caller.answered(answered);
                    }, caller::failed)).begin().await();
        } finally {
            socket.dispose();
        }
    }
}
