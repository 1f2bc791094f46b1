// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.Tls;
import io.reactivenetio.Tls.ClientCertificate;
import io.reactivenetio.api.AccessRule;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioAuthenticator;
import io.reactivenetio.api.NetioAuthorizer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioCredentials;
import io.reactivenetio.api.Right;
import io.reactivenetio.api.Tags;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.exceptions.NetioException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

/** The snippets of docs/guide.md about schedulers, errors and the end. */
final class Living {

    private Living() {
    }

    // guide
    static Flux<Long> analysed(NetioConnection connection, UnaryOperator<Long> analysis) {
        return connection.receive(ByteBuffer::getLong)
                .publishOn(Schedulers.parallel(), 64) // it takes long, so not on the loop; 64 messages wait at most
                .map(analysis);
    }

    // guide
    static Mono<Void> sendHeartbeats(NetioConnection connection) {
        return connection.send(Flux.interval(Duration.ofMillis(1), connection.scheduler()) // the loop's own timer
                .onBackpressureDrop() // a peer that is slow misses some
                .map(n -> ByteBuffer.allocate(Long.BYTES).putLong(0, n)));
    }

    // guide
    static NetioLoops forLatency(int first, int second) {
        return NetioLoops.builder().name("readout").number(2)
                .adaptiveSpin(Duration.ofMillis(1)) // stays awake while messages come close together
                .affinity(first, second) // a CPU for each loop
                .build();
    }

    // guide
    static Flux<Long> forEver(NetioClient client) {
        return client.connect()
                .flatMapMany(connection -> connection.receive(ByteBuffer::getLong)
                        .doFinally(signal -> connection.dispose()))
                .repeatWhen(ends -> ends.delayElements(Duration.ofMillis(100))) // a stream that is complete begins again
                .retryWhen(Retry.backoff(Long.MAX_VALUE, Duration.ofMillis(100)).maxBackoff(Duration.ofMillis(500))
                        .filter(NetioException.class::isInstance)
                        .transientErrors(true)); // what arrives begins the back-off anew
    }

    // guide
    static NetioServer secured(NetioServer server, Path certificate, Path key, Path readers) {
        return server.secure(Tls.create().certificate(certificate, key)
                .trust(readers).clientCertificate(ClientCertificate.REQUIRED)); // nobody else gets in
    }

    // guide
    static NetioClient secured(NetioClient client, Path certificate, Path key, Path authority) {
        return client.secure(Tls.create().certificate(certificate, key).trust(authority));
    }

    // guide
    static NetioServer guarded(NetioServer server, Map<String, byte[]> secrets) {
        return server.allow("10.1.0.0/16").authenticate(NetioAuthenticator.secrets(secrets))
                .authorize(NetioAuthorizer.of(List.of(
                        new AccessRule("display", Tags.range(0, 99), Set.of(Right.SUBSCRIBE)),
                        new AccessRule("control", Tags.of(7), Set.of(Right.REQUEST)))));
    }

    // guide
    static NetioClient shown(NetioClient client, byte[] secret) {
        return client.credentials(NetioCredentials.secret("display", secret));
    }

    // guide end

    static Mono<Void> stop(DisposableServer server, NetioLoops loops) {
        return server.shutdown(Duration.ofSeconds(10)) // until then connections may end by themselves
                .then(loops.disposeLater(Duration.ofSeconds(5)));
    }

    static NetioLoops hosted(EventLoop guest, Executor host) {
        NetioLoops loops = NetioLoops.of(guest); // for runOn
        host.execute(() -> turn(guest, host)); // the first turn makes the host's thread the guest's
        return loops;
    }

    static void turn(EventLoop guest, Executor host) { // also whenever guest.epollFd() is readable
        if (!guest.poll() && !guest.isTerminated()) {
            host.execute(() -> turn(guest, host)); // it has more to do
        }
    }
}
