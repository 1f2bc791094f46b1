// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioEncoder;
import java.nio.ByteBuffer;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * Asks the responders of one tag, with values. Any thread.
 *
 * @param <Q> the type of the requests
 * @param <A> the type of the answers
 */
public final class NetioTypedRequester<Q, A> {
    private final Mono<NetioConnection> connection;
    private final long tag;
    private final NetioEncoder<? super Q> encoder;
    private final Function<ByteBuffer, A> decoder;

    NetioTypedRequester(Mono<NetioConnection> connection, long tag, NetioEncoder<? super Q> encoder,
            Function<ByteBuffer, A> decoder) {
        this.connection = connection;
        this.tag = tag;
        this.encoder = encoder;
        this.decoder = decoder;
    }

    /**
     * Encodes {@code question} and asks, each time the Mono is subscribed to; connects first, if need be. Question and answer
     * are in the byte order of the client. The answer is decoded on the loop. The Mono is empty if the answer is, and fails as
     * {@link io.reactivenetio.api.TypedRequester#request} and {@link io.reactivenetio.NetioClient#connect} say. It has no limit
     * of time: {@code timeout} does that.
     */
    public Mono<A> request(Q question) {
        return connection.flatMap(open -> open.<Q, A>requester(tag, encoder, decoder).request(question));
    }

    /** The tag of the responder that is asked. */
    public long tag() {
        return tag;
    }
}
