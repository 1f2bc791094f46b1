// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;

/** Round trips by unary gRPC calls. */
final class GrpcTrips implements Peer {

    @Override
    public String title() {
        return "gRPC unary call";
    }

    @Override
    public String settings() {
        return GrpcPeer.SETTINGS + ", asynchronous stubs";
    }

    @Override
    public Outcome listen(Work work, IntConsumer port) throws Exception {
        Numbers numbers = new Numbers(work);
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        Server server = GrpcPeer.serve(Sealing.NONE, GrpcPeer.ECHO, ServerCalls.asyncUnaryCall((request, to) -> {
            if (GrpcPeer.number(request) == Numbers.LAST) {
                outcome.complete(numbers.end());
            } else {
                numbers.count();
            }
            to.onNext(request);
            to.onCompleted();
        }));
        try {
            port.accept(server.getPort());
            Outcome answered = Loopback.await(work, outcome);
            server.shutdown().awaitTermination();
            return answered;
        } finally {
            server.shutdownNow();
        }
    }

    @Override
    public Outcome connect(Work work, int port) throws Exception {
        ManagedChannel channel = GrpcPeer.channel(Sealing.NONE, port);
        try {
            Outcome outcome = new Caller(work, (caller, number) -> ClientCalls.asyncUnaryCall(
                    channel.newCall(GrpcPeer.ECHO, CallOptions.DEFAULT), GrpcPeer.message(work, number),
                    new Answer(caller))).begin().await();
            ClientCalls.blockingUnaryCall(channel, GrpcPeer.ECHO, CallOptions.DEFAULT, GrpcPeer.message(work, Numbers.LAST));
            return outcome;
        } finally {
            channel.shutdownNow();
        }
    }

    /** Tells the caller what its request was answered. */
    private record Answer(Caller caller) implements StreamObserver<byte[]> {

        @Override
        public void onNext(byte[] answer) {
            caller.answered(GrpcPeer.number(answer));
        }

        @Override
        public void onError(Throwable error) {
            caller.failed(error);
        }

        @Override
        public void onCompleted() {
            // the answer has said it
        }
    }
}
