// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import reactor.core.publisher.Sinks;
import reactor.core.publisher.Sinks.EmitFailureHandler;
import reactor.netty.Connection;
import reactor.netty.DisposableServer;
import reactor.netty.tcp.TcpServer;

/** Round trips through Reactor Netty over TCP, with a length before each message. */
final class NettyTrips implements Peer {

    @Override
    public String title() {
        return NettyPeer.TITLE;
    }

    @Override
    public String settings() {
        return NettyPeer.SETTINGS + ", send(Flux<ByteBuf>, flushing each)";
    }

    @Override
    public Outcome listen(Work work, IntConsumer port) throws Exception {
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        Numbers numbers = new Numbers(work);
        byte[] message = new byte[work.size()];
        TcpServer settings = NettyPeer.server(work).handle((inbound, outbound) -> outbound.send(
                inbound.receive().map(frame -> {
                    long number = frame.getLongLE(frame.readerIndex());
                    if (number != Numbers.LAST) {
                        numbers.check(number);
                    }
                    return NettyPeer.frame(outbound.alloc(), message, number);
                }), frame -> true).then().doFinally(end -> outcome.complete(numbers.end())));
        DisposableServer server = settings.bindNow();
        try {
            port.accept(server.port());
            return Loopback.await(work, outcome);
        } finally {
            server.disposeNow();
        }
    }

    @Override
    public Outcome connect(Work work, int port) throws Exception {
        Connection connection = NettyPeer.client(work, port).connectNow();
        try {
            ByteBufAllocator buffers = connection.channel().alloc();
            byte[] message = new byte[work.size()];
            Sinks.Many<ByteBuf> requests = Sinks.many().unicast().onBackpressureBuffer();
            Caller caller = new Caller(work, (asking, number) ->
                    requests.emitNext(NettyPeer.frame(buffers, message, number), EmitFailureHandler.FAIL_FAST));
            connection.outbound().send(requests.asFlux(), frame -> true).then().subscribe(null, caller::failed);
            connection.inbound().receive().doOnNext(frame -> caller.answered(frame.getLongLE(frame.readerIndex())))
                    .then().subscribe(null, caller::failed);
            connection.channel().eventLoop().execute(caller::begin);
            return caller.await();
        } finally {
            connection.disposeNow();
        }
    }
}
