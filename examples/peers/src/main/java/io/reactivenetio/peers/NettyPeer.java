// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.IntConsumer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.Connection;
import reactor.netty.DisposableServer;
import reactor.netty.NettyInbound;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/** A stream through Reactor Netty over TCP, with a length before each message. */
record NettyPeer(Receiving receiving, Sealing sealing) implements Peer {
    /** What the receiver's user does. */
    enum Receiving {
        MAPPED(""),
        CONCAT_MAPPED(" receive().concatMap()"),
        FLAT_MAPPED_16(" receive().flatMap(16)");

        private final String title;

        Receiving(String title) {
            this.title = title;
        }
    }

    NettyPeer() {
        this(Receiving.MAPPED, Sealing.NONE);
    }

    static final String TITLE = "Reactor Netty";
    static final String SETTINGS = "TcpServer and TcpClient as they come (epoll, pooled buffers), LengthFieldBasedFrameDecoder";

    @Override
    public String title() {
        return TITLE + sealing.title() + receiving.title;
    }

    @Override
    public String settings() {
        return SETTINGS + ", send(Flux<ByteBuf>)" + sealing.words();
    }

    @Override
    public Outcome listen(Work work, IntConsumer port) throws Exception {
        return listen(work, port, sealing, this::received);
    }

    /** With a receiver of the caller's, which completes when it has had all messages. */
    static Outcome listen(Work work, IntConsumer port, Sealing sealing, BiFunction<NettyInbound, Numbers, Mono<Void>> receiver)
            throws Exception {
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        Numbers numbers = new Numbers(work);
        DisposableServer server = sealing.of(server(work)).handle((inbound, outbound) -> receiver.apply(inbound, numbers)
                .doOnSuccess(end -> outcome.complete(numbers.end()))
                .doOnError(outcome::completeExceptionally)).bindNow();
        try {
            port.accept(server.port());
            return Loopback.await(work, outcome);
        } finally {
            server.disposeNow();
        }
    }

    private Mono<Void> received(NettyInbound inbound, Numbers numbers) {
        Flux<Long> received = switch (receiving) {
            case MAPPED -> inbound.receive().map(NettyPeer::number);
            case CONCAT_MAPPED -> inbound.receive().concatMap(message -> Mono.just(number(message)));
            case FLAT_MAPPED_16 -> inbound.receive().flatMap(message -> Mono.just(number(message)), 16);
        };
        return received.takeWhile(number -> number != Numbers.LAST)
                .doOnNext(numbers::check)
                .then();
    }

    private static long number(ByteBuf message) {
        return message.getLongLE(message.readerIndex());
    }

    static TcpServer server(Work work) {
        return TcpServer.create().host(Loopback.ADDRESS).port(0).doOnConnection(connection -> frames(connection, work));
    }

    static TcpClient client(Work work, int port) {
        return TcpClient.create().host(Loopback.ADDRESS).port(port).doOnConnected(connection -> frames(connection, work));
    }

    private static void frames(Connection connection, Work work) {
        connection.addHandlerLast(
                new LengthFieldBasedFrameDecoder(Integer.BYTES + work.size(), 0, Integer.BYTES, 0, Integer.BYTES));
    }

    static ByteBuf frame(ByteBufAllocator buffers, byte[] message, long number) {
        return buffers.buffer(Integer.BYTES + message.length).writeInt(message.length).writeLongLE(number)
                .writeBytes(message, Long.BYTES, message.length - Long.BYTES);
    }

    @Override
    public Outcome connect(Work work, int port) throws Exception {
        Connection connection = sealing.of(client(work, port)).connectNow();
        try {
            Numbers numbers = new Numbers(work);
            ByteBufAllocator buffers = connection.channel().alloc();
            byte[] message = new byte[work.size()];
            Flux<ByteBuf> messages = Flux.generate(sink -> {
                long number = numbers.next();
                sink.next(frame(buffers, message, number));
                if (number == Numbers.LAST) {
                    sink.complete();
                }
            });
            return Loopback.await(work, connection.outbound().send(messages).then()
                    .subscribeOn(Schedulers.fromExecutor(connection.channel().eventLoop()))
                    .then(Mono.fromSupplier(numbers::end)).toFuture());
        } finally {
            connection.onTerminate().block(Loopback.patience(work)); // the receiver closes when it has all
        }
    }
}
