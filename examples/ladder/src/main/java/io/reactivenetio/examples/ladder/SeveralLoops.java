// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.ladder;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioCodec;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.NetioConnection;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;

/**
 * Opens four connections to a server that runs on two loops, and prints on which thread the signals of each come. The server's
 * loops take the connections in turn. A connection stays on its loop for life, so nothing of it needs a lock. Try
 * {@code NetioLoops.builder()} with {@code adaptiveSpin} and {@code affinity}, where latency counts and there are processors
 * to spare.
 */
public final class SeveralLoops {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private SeveralLoops() {
    }

    /** Prints the thread of each connection. */
    public static void main(String... args) {
        // docs
        NetioLoops readout = NetioLoops.create("readout", 2);
        NetioLoops reader = NetioLoops.create("reader", 1);
        var server = NetioServer.create().backend(Backend.chosen()).runOn(readout)
                .handle((in, out) -> out.send(Flux.just(Thread.currentThread().getName()), NetioCodec.utf8()))
                .bindNow();
        NetioClient client = NetioClient.create().backend(Backend.chosen()).port(server.port()).runOn(reader);
        List<NetioConnection> connections = Stream.generate(client::connectNow).limit(4).toList();
        for (NetioConnection connection : connections) {
            String thread = connection.receive(NetioCodec.utf8())
                    .map(name -> name + " there, " + Thread.currentThread().getName() + " here").blockLast(PATIENCE);
            System.out.println("connection " + (connections.indexOf(connection) + 1) + ": " + thread);
        }
        server.dispose();
        readout.disposeLater(PATIENCE).then(reader.disposeLater(PATIENCE)).block();
        // docs end
    }
}
