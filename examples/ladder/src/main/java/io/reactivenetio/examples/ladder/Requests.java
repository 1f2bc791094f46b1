// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.ladder;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioCodec;
import io.reactivenetio.NetioServer;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Asks a server for the settings of a detector: each question is a message with tag 7, and each answer a Mono. A setting that
 * does not exist has no answer, and the Mono is empty. A question that fails at the server fails here, with the text of the
 * error. The other questions go on. Try an answer that takes 10 s, {@code Mono.delay(…)}: the client's {@code timeout} cancels
 * it at the server.
 */
public final class Requests {
    private static final Map<String, String> SETTINGS = Map.of("threshold", "25", "gain", "1.5");

    private Requests() {
    }

    // guide
    static NetioServer configuration(Function<String, Mono<String>> find) {
        return NetioServer.create().doOnConnection(connection -> connection
                .respond(7, NetioCodec.utf8(), NetioCodec.utf8(), find)
                .subscribe());
    }

    // guide
    static Flux<String> settings(NetioClient client, Flux<String> keys) {
        return client.connect().flatMapMany(connection -> keys
                .flatMapSequential(key -> connection.requester(7, NetioCodec.utf8(), NetioCodec.utf8())
                        .request(key)
                        .timeout(Duration.ofSeconds(5)) // cancels what the server does for it
                        .map(value -> key + "=" + value))
                .doFinally(signal -> connection.dispose()));
    }
    // guide end

    // docs
    static Mono<String> find(String key) {
        return key.startsWith("secret") ? Mono.error(new IllegalStateException("not for you"))
                : Mono.justOrEmpty(SETTINGS.get(key)); // empty if there is none
    }

    /** Prints the answers. */
    public static void main(String... args) {
        var server = configuration(Requests::find).backend(Backend.chosen()).bindNow();
        NetioClient client = NetioClient.create().backend(Backend.chosen()).port(server.port());
        settings(client, Flux.just("threshold", "colour", "gain")).doOnNext(System.out::println)
                .blockLast(Duration.ofSeconds(10));
        settings(client, Flux.just("secret")).onErrorResume(error -> Mono.just("secret: " + error.getMessage()))
                .doOnNext(System.out::println).blockLast(Duration.ofSeconds(10));
        server.dispose();
    }
    // docs end
}
