// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.SocketAcceptor;
import io.rsocket.core.RSocketConnector;
import io.rsocket.core.RSocketServer;
import io.rsocket.frame.decoder.PayloadDecoder;
import io.rsocket.transport.netty.client.TcpClientTransport;
import io.rsocket.transport.netty.server.CloseableChannel;
import io.rsocket.transport.netty.server.TcpServerTransport;
import io.rsocket.util.ByteBufPayload;
import io.rsocket.util.EmptyPayload;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/** A stream that RSocket's request-stream gives, over TCP. */
record RSocketPeer(Sealing sealing) implements Peer {
    static final String SETTINGS = "TCP transport, zero-copy payloads from pooled buffers";
    /** What is asked for at once; fewer of large messages. */
    private static final int AHEAD = 256;
    private static final int BYTES_AHEAD = 16 << 20;

    @Override
    public String title() {
        return "RSocket request-stream" + sealing.title();
    }

    @Override
    public String settings() {
        return SETTINGS + ", limitRate(" + AHEAD + ", or 16 MiB): without it nothing holds the sender back" + sealing.words();
    }

    @Override
    public Outcome listen(Work work, IntConsumer port) throws Exception {
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        CloseableChannel server = serve(sealing, (setup, socket) -> {
            Numbers numbers = new Numbers(work);
            int ahead = Math.min(AHEAD, Math.max(4, BYTES_AHEAD / work.size()));
            socket.requestStream(EmptyPayload.INSTANCE).limitRate(ahead).doOnNext(payload -> {
                numbers.check(number(payload));
                payload.release();
            }).then().subscribe(null, outcome::completeExceptionally, () -> {
                outcome.complete(numbers.end());
                socket.dispose();
            });
            return Mono.just(new RSocket() { });
        });
        try {
            port.accept(server.address().getPort());
            return Loopback.await(work, outcome);
        } finally {
            server.dispose();
        }
    }

    static CloseableChannel serve(Sealing sealing, SocketAcceptor acceptor) {
        return Objects.requireNonNull(RSocketServer.create(acceptor).payloadDecoder(PayloadDecoder.ZERO_COPY)
                .bind(TcpServerTransport.create(sealing.of(TcpServer.create().host(Loopback.ADDRESS).port(0))))
                .block(), "a server");
    }

    static RSocket connect(Sealing sealing, RSocketConnector connector, int port) {
        return Objects.requireNonNull(connector.payloadDecoder(PayloadDecoder.ZERO_COPY)
                .connect(TcpClientTransport.create(sealing.of(TcpClient.create().host(Loopback.ADDRESS).port(port))))
                .block(), "a connection");
    }

    static long number(Payload payload) {
        ByteBuf data = payload.sliceData();
        return data.getLongLE(data.readerIndex());
    }

    static Payload payload(byte[] message, long number) {
        return ByteBufPayload.create(ByteBufAllocator.DEFAULT.buffer(message.length).writeLongLE(number)
                .writeBytes(message, Long.BYTES, message.length - Long.BYTES));
    }

    @Override
    public Outcome connect(Work work, int port) throws Exception {
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        byte[] message = new byte[work.size()];
        RSocket socket = connect(sealing, RSocketConnector.create().acceptor(SocketAcceptor.forRequestStream(request -> {
            request.release();
            Numbers numbers = new Numbers(work);
            return Flux.<Payload>generate(sink -> {
                long number = numbers.next();
                if (number == Numbers.LAST) {
                    outcome.complete(numbers.end());
                    sink.complete();
                } else {
                    sink.next(payload(message, number));
                }
            });
        })), port);
        try {
            Outcome sent = Loopback.await(work, outcome);
            socket.onClose().onErrorComplete().block(Loopback.patience(work)); // the receiver closes when it has all
            return sent;
        } finally {
            socket.dispose();
        }
    }
}
