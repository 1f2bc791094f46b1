// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;

/** A stream that a gRPC server gives: arrays of bytes instead of protobuf's messages, which would cost it more. */
record GrpcPeer(Sealing sealing) implements Peer {
    static final String SETTINGS = "Netty transport, arrays of bytes without protobuf, directExecutor() as nothing blocks";
    private static final String SERVICE = "io.reactivenetio.Peers";
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final MethodDescriptor<byte[], byte[]> STREAM = method(MethodType.SERVER_STREAMING, "stream");
    /** Sends the request back. */
    static final MethodDescriptor<byte[], byte[]> ECHO = method(MethodType.UNARY, "echo");

    @Override
    public String title() {
        return "gRPC server streaming" + sealing.title();
    }

    @Override
    public String settings() {
        return SETTINGS + ", sends while isReady()" + sealing.words();
    }

    @Override
    public boolean listenerSends() {
        return true;
    }

    private static MethodDescriptor<byte[], byte[]> method(MethodType type, String name) {
        return MethodDescriptor.<byte[], byte[]>newBuilder().setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .setRequestMarshaller(Bytes.INSTANCE).setResponseMarshaller(Bytes.INSTANCE).build();
    }

    static Server serve(Sealing sealing, MethodDescriptor<byte[], byte[]> method, ServerCallHandler<byte[], byte[]> handler)
            throws IOException {
        return NettyServerBuilder.forAddress(Loopback.address(0), sealing.grpcServer())
                .maxInboundMessageSize(Integer.MAX_VALUE).directExecutor()
                .addService(ServerServiceDefinition.builder(SERVICE).addMethod(method, handler).build()).build().start();
    }

    static ManagedChannel channel(Sealing sealing, int port) {
        return NettyChannelBuilder.forAddress(Loopback.address(port), sealing.grpcChannel())
                .maxInboundMessageSize(Integer.MAX_VALUE).directExecutor().build();
    }

    static long number(byte[] message) {
        return (long) LONG.get(message, 0);
    }

    static byte[] message(Work work, long number) {
        byte[] message = new byte[work.size()];
        LONG.set(message, 0, number);
        return message;
    }

    @Override
    public Outcome listen(Work work, IntConsumer port) throws Exception {
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        Numbers numbers = new Numbers(work);
        Server server = serve(sealing, STREAM, ServerCalls.asyncServerStreamingCall((request, to) -> {
            ServerCallStreamObserver<byte[]> observer = (ServerCallStreamObserver<byte[]>) to;
            observer.setOnReadyHandler(() -> sendWhileReady(work, numbers, observer, outcome));
        }));
        try {
            port.accept(server.getPort());
            Outcome sent = Loopback.await(work, outcome);
            server.shutdown().awaitTermination(); // the receiver closes when it has all
            return sent;
        } finally {
            server.shutdownNow();
        }
    }

    private static void sendWhileReady(Work work, Numbers numbers, ServerCallStreamObserver<byte[]> observer,
            CompletableFuture<Outcome> outcome) {
        while (observer.isReady() && !outcome.isDone()) {
            long number = numbers.next();
            if (number == Numbers.LAST) {
                outcome.complete(numbers.end());
                observer.onCompleted();
            } else {
                observer.onNext(message(work, number));
            }
        }
    }

    @Override
    public Outcome connect(Work work, int port) throws Exception {
        ManagedChannel channel = channel(sealing, port);
        try {
            Checking checking = new Checking(work);
            ClientCalls.asyncServerStreamingCall(channel.newCall(STREAM, CallOptions.DEFAULT), new byte[1], checking);
            return Loopback.await(work, checking.outcome);
        } finally {
            channel.shutdownNow();
        }
    }

    /** What a receiver sees. */
    private static final class Checking implements StreamObserver<byte[]> {
        private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        private final Numbers numbers;

        Checking(Work work) {
            numbers = new Numbers(work);
        }

        @Override
        public void onNext(byte[] message) {
            numbers.check(number(message));
        }

        @Override
        public void onError(Throwable error) {
            outcome.completeExceptionally(error);
        }

        @Override
        public void onCompleted() {
            outcome.complete(numbers.end());
        }
    }

    /** Messages as they are. */
    private enum Bytes implements MethodDescriptor.Marshaller<byte[]> {
        INSTANCE;

        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
