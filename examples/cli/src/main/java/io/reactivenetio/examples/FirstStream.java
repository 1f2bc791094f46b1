// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioCodec;
import io.reactivenetio.NetioServer;
import reactor.core.publisher.Flux;

/** The example of the README: ten messages through libfabric, in one process. */
public final class FirstStream {

    private FirstStream() {
    }

    /** Prints what arrives. */
    public static void main(String... args) {
        // README
        var server = NetioServer.create()
                .handle((in, out) -> in.receive(NetioCodec.utf8()).doOnNext(System.out::println).then())
                .bindNow();
        var connection = NetioClient.create().port(server.port()).connectNow();
        connection.send(Flux.range(1, 10).map(i -> "event " + i), NetioCodec.utf8())
                .then(connection.completeOutbound())
                .block(); // done when all of it has been delivered
        connection.onDispose().block(); // the server closes when its stream is complete
        server.dispose();
        // README end
    }
}
