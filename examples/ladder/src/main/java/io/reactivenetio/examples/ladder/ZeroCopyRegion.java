// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.ladder;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioRegion;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.NetioOutbound;
import io.reactivenetio.api.RegionSlice;
import java.nio.ByteBuffer;
import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Sends 1,000 events from 16 slices of a region, which is memory that the network card or the kernel reads itself. A slice is
 * written, sent, and written again when {@code onReusable} is called. An event waits for a free slice: that is the
 * backpressure. Try a single slice instead of 16, which lets one event be on its way at a time. Or try {@code NetioRegion.of}
 * with a mapped file. RAW framing carries no end of a stream, so both sides agree on an {@code endSignal}.
 */
public final class ZeroCopyRegion {

    private ZeroCopyRegion() {
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
    // guide end

    /** Prints what has arrived. */
    public static void main(String... args) {
        // docs
        try (NetioRegion region = NetioRegion.allocate(16 * 4096)) {
            Flux<Long> events = Flux.range(1, 1_000).map(Long::valueOf);
            var server = NetioServer.create().backend(Backend.chosen())
                    .framing(Framing.raw().endSignal(EndSignal.EMPTY_MESSAGE).region(region))
                    .handle((in, out) -> sendInPlace(out, region, events).then(out.completeOutbound())).bindNow();
            var connection = NetioClient.create().backend(Backend.chosen())
                    .framing(Framing.raw().endSignal(EndSignal.EMPTY_MESSAGE)).port(server.port()).connectNow();
            connection.receive(ByteBuffer::getLong).filter(event -> event % 250 == 0)
                    .doOnNext(event -> System.out.println("received event " + event + " from slice " + (event - 1) % 16))
                    .blockLast(Duration.ofSeconds(10));
            connection.dispose();
            server.dispose();
        }
        // docs end
    }
}
