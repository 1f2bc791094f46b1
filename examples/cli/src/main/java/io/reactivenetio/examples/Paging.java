// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.NetioInbound;
import io.reactivenetio.api.TaggedMessage;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The snippets of docs/guide.md about pages. */
final class Paging {

    private Paging() {
    }

    // guide
    static NetioServer readout(Flux<TaggedMessage> fragments) {
        return NetioServer.create().framing(Framing.page()
                .flushInterval(Duration.ofMillis(1))) // or, without it, as soon as there is nothing more at hand
                .handle((in, out) -> out.sendTagged(fragments));
    }

    // guide
    static Mono<Map<Long, Long>> bytesPerLink(NetioInbound in) {
        Map<Long, Long> bytes = new HashMap<>();
        return in.receiveTagged((link, status, payload) -> // in place, on the loop
                        bytes.merge(link, (long) payload.remaining(), Long::sum))
                .then(Mono.just(bytes));
    }

    // guide end
}
