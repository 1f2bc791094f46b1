// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import io.micrometer.observation.ObservationRegistry;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.NetioPropagator;
import io.reactivenetio.micrometer.NetioObservations;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/** The snippets of docs/guide.md about the Context and traces. */
final class Tracing {

    private Tracing() {
    }

    // guide
    static NetioServer greeterOfUsers() {
        return NetioServer.create().propagation(NetioPropagator.ofKeys("user")).doOnConnection(connection -> connection
                .respond(7, request -> Mono.deferContextual(context ->
                        Mono.just(StandardCharsets.UTF_8.encode("hello " + context.getOrDefault("user", "stranger")))))
                .subscribe());
    }

    // guide
    static Mono<String> greeted(int port, String user) {
        return NetioClient.create().port(port).propagation(NetioPropagator.ofKeys("user")).connect()
                .flatMap(connection -> connection.requester(7).request(ByteBuffer.allocate(0))
                        .map(answer -> StandardCharsets.UTF_8.decode(answer).toString())
                        .doFinally(signal -> connection.dispose()))
                .contextWrite(Context.of("user", user));
    }

    // guide end

    static NetioServer observed(NetioServer server, ObservationRegistry registry) {
        return server.propagation(NetioObservations.create(registry)); // likewise for clients
    }
}
