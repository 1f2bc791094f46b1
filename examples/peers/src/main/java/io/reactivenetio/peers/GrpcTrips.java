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
        Server server = GrpcPeer.serve(GrpcPeer.ECHO, ServerCalls.asyncUnaryCall((request, to) -> {
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
        ManagedChannel channel = GrpcPeer.channel(port);
        try {
            Caller caller = new Caller(channel, work);
            caller.begin();
            Outcome outcome = Loopback.await(work, caller.outcome);
            ClientCalls.blockingUnaryCall(channel, GrpcPeer.ECHO, CallOptions.DEFAULT, GrpcPeer.message(work, Numbers.LAST));
            return outcome;
        } finally {
            channel.shutdownNow();
        }
    }

    /** Asks anew when it is answered. */
    private static final class Caller implements StreamObserver<byte[]> {
        private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        private final ManagedChannel channel;
        private final Work work;
        private final Trips trips;

        Caller(ManagedChannel channel, Work work) {
            this.channel = channel;
            this.work = work;
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
            ClientCalls.asyncUnaryCall(channel.newCall(GrpcPeer.ECHO, CallOptions.DEFAULT), GrpcPeer.message(work, number), this);
        }

        @Override
        public void onNext(byte[] answer) {
            synchronized (trips) { // the first requests are made by the thread that connects
                long next = trips.answered(GrpcPeer.number(answer));
                if (next != Numbers.LAST) {
                    ask(next);
                } else if (trips.isOver()) {
                    outcome.complete(trips.end());
                }
            }
        }

        @Override
        public void onError(Throwable error) {
            outcome.completeExceptionally(error);
        }

        @Override
        public void onCompleted() {
            // the answer has said it
        }
    }
}
