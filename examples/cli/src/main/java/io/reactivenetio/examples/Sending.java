// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.NetioOutbound;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The snippets of docs/guide.md about sending. */
final class Sending {

    private Sending() {
    }

    // guide
    static Mono<Void> send(NetioOutbound out, Flux<ByteBuffer> messages, LongConsumer lost) {
        return out.send(messages) // done when the peer has all of them
                .doOnError(NetioAbortedException.class, e -> lost.accept(e.unsent()));
    }

    // guide end

    static NetioServer forManyConnections() {
        return NetioServer.create().framing(Framing.raw()
                .sharedReceiveBuffers(4096, 512) // for all connections of a loop together
                .sharedSendBuffers(4096, 256));
    }

    static Mono<Void> report(NetioOutbound out, Flux<ByteBuffer> samples) {
        return out.completion(SendCompletion.TRANSMITTED).send(samples); // done when they have left
    }
}
