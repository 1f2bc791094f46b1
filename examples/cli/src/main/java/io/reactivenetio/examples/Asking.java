// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The snippets of docs/guide.md about requests and answers. */
final class Asking {

    private Asking() {
    }

    // guide
    static NetioServer configuration(Function<String, Mono<String>> find) {
        return NetioServer.create().doOnConnection(connection -> connection
                .respond(7, key -> find.apply(StandardCharsets.UTF_8.decode(key).toString()).map(StandardCharsets.UTF_8::encode))
                .subscribe());
    }

    // guide
    static Flux<String> settings(NetioClient client, Flux<String> keys) {
        return client.connect().flatMapMany(connection -> keys
                .flatMapSequential(key -> connection.requester(7)
                        .request(StandardCharsets.UTF_8.encode(key))
                        .timeout(Duration.ofSeconds(5)) // cancels what the server does for it
                        .map(value -> key + "=" + StandardCharsets.UTF_8.decode(value)))
                .doFinally(signal -> connection.dispose()));
    }

    // guide end
}
