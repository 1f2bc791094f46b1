// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.NetioInbound;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The first snippets of docs/guide.md. */
final class Beginning {

    private Beginning() {
    }

    // guide
    static NetioServer greeter() {
        return NetioServer.create()
                .handle((in, out) -> out.send(Flux.range(1, 10).map(n -> StandardCharsets.UTF_8.encode("event " + n))));
    }

    // guide
    static Flux<String> greetings(int port) {
        return NetioClient.create().port(port).connect()
                .flatMapMany(connection -> connection.receive(message -> StandardCharsets.UTF_8.decode(message).toString())
                        .doFinally(signal -> connection.dispose()));
    }

    // guide
    static Flux<Long> stored(NetioInbound in, Function<Long, Mono<Long>> store) {
        return in.receive(ByteBuffer::getLong)
                .concatMap(store, 32); // asks for 32 messages, and for more as these are stored
    }
    // guide end
}
