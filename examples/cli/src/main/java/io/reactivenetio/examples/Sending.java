// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioOutbound;
import io.reactivenetio.NetioRegion;
import io.reactivenetio.NetioServer;
import io.reactivenetio.RegionSlice;
import io.reactivenetio.SendCompletion;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The snippets of docs/guide.md about sending. */
final class Sending {

    private Sending() {
    }

    // guide
    static Mono<Void> send(NetioOutbound out, Flux<ByteBuffer> messages, LongConsumer lost) {
        return out.send(messages) // done when the peer has all of them
                .doOnError(NetioAbortedException.class, e -> lost.accept(e.unsent()));
    }

    // guide
    static Mono<Void> report(NetioOutbound out, Flux<ByteBuffer> samples) {
        return out.send(samples, SendCompletion.TRANSMITTED); // done when they have left
    }

    // guide
    static Mono<Void> sendInPlace(NetioOutbound out, NetioRegion region, Flux<Long> events) {
        Sinks.Many<RegionSlice> free = Sinks.many().unicast().onBackpressureBuffer();
        for (int i = 0; i < 16; i++) {
            free.tryEmitNext(region.slice(i * 4096L, 4096).onReusable(free::tryEmitNext));
        }
        return out.sendRegion(Flux.zip(events, free.asFlux(), (event, slice) -> { // each event waits for a slice
            slice.buffer().clear().putLong(event).flip();
            return slice;
        }));
    }

    // guide
    static NetioServer forManyConnections() {
        return NetioServer.create().framing(Framing.RAW)
                .sharedReceiveBuffers(4096, 512) // for all connections of a loop together
                .sharedSendBuffers(4096, 256);
    }
    // guide end
}
