// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.ladder;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioCodec;
import io.reactivenetio.NetioServer;
import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Sends words to a server that sends back what it receives, and prints those that come back. The server is
 * {@code out.send(in.receive())}. It asks for as many words as the client asks it for, so a client that reads nothing is soon
 * asked for nothing either. Try to receive after everything has been sent, with {@code sent.then(returned)} in place of
 * {@code Mono.when}: each side waits for the other, until the time-out.
 */
public final class Echo {

    private Echo() {
    }

    /** Prints the words that come back. */
    public static void main(String... args) {
        // docs
        var server = NetioServer.create().backend(Backend.chosen())
                .handle((in, out) -> out.send(in.receive()))
                .bindNow();
        var connection = NetioClient.create().backend(Backend.chosen()).port(server.port()).connectNow();
        Flux<String> words = Flux.just("one", "two", "three");
        Mono<Void> sent = connection.send(words, NetioCodec.utf8()).then(connection.completeOutbound());
        Mono<Void> returned = connection.receive(NetioCodec.utf8())
                .doOnNext(word -> System.out.println(word + " came back"))
                .then();
        Mono.when(sent, returned).block(Duration.ofSeconds(10)); // both directions at the same time
        // docs end
        connection.dispose();
        server.dispose();
    }
}
