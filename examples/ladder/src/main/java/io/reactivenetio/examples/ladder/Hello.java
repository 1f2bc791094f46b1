// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.ladder;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioCodec;
import io.reactivenetio.NetioServer;
import reactor.core.publisher.Flux;

/**
 * Sends ten messages from a client to a server in the same process, which prints them. The client's {@code block()} returns
 * when the server has received all of them. The server closes the connection when its stream has ended. Try what happens
 * without {@code completeOutbound()}: the server is not told that nothing more will come, and it waits.
 */
public final class Hello {

    private Hello() {
    }

    /** Prints what arrives. */
    public static void main(String... args) {
        // docs
        var server = NetioServer.create().backend(Backend.chosen())
                .handle((in, out) -> in.receive(NetioCodec.utf8()).doOnNext(System.out::println).then())
                .bindNow();
        var connection = NetioClient.create().backend(Backend.chosen()).port(server.port()).connectNow();
        connection.send(Flux.range(1, 10).map(i -> "event " + i), NetioCodec.utf8())
                .then(connection.completeOutbound())
                .block(); // done when all of it has been delivered
        connection.onDispose().block(); // the server closes when its stream is complete
        server.dispose();
        // docs end
    }
}
