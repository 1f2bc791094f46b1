// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import io.reactivenetio.NetioCodec;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.api.NetioInbound;
import io.reactivenetio.api.NetioOutbound;
import java.nio.ByteBuffer;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The snippets of docs/guide.md about codecs. */
final class Coding {

    private Coding() {
    }

    // guide
    record Hit(long time, int channel, short charge) {
    }

    static final NetioCodec<Hit> HITS = NetioCodec.ofRecord(Hit.class); // messages of 14 bytes

    static Mono<Void> sendHits(NetioOutbound out, Flux<Hit> hits) {
        return out.send(hits, HITS);
    }

    static Flux<Hit> receiveHits(NetioInbound in) {
        return in.receive(HITS); // a codec is a decoder, too
    }

    // guide
    /** A message is all samples of a channel, and its size depends on the value. */
    static final NetioEncoder<short[]> SAMPLES = new NetioEncoder<>() {
        @Override
        public int size(short[] samples) {
            return samples.length * Short.BYTES;
        }

        @Override
        public void encode(short[] samples, ByteBuffer target) {
            for (short sample : samples) {
                target.putShort(sample);
            }
        }
    };

    // guide end

    static Mono<Void> answerHits(NetioConnection connection, Function<String, Mono<Hit>> find) {
        return connection.respond(7, NetioCodec.utf8(), HITS, find);
    }

    static Mono<Hit> askForHit(NetioConnection connection, String name) {
        return connection.requester(7, NetioCodec.utf8(), HITS).request(name);
    }
}
