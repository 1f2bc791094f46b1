// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.send.MessageEncoder;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * A {@link NetioRequester} for values: an encoder makes each request, and a decoder what its answer says. All methods may be
 * called on any thread.
 *
 * @param <Q> the type of the requests
 * @param <A> the type of the answers
 */
public final class TypedRequester<Q, A> {
    private final NetioRequester requester;
    private final MessageEncoder<Q> encoding;
    private final Function<? super ByteBuffer, ? extends A> decoder;

    TypedRequester(NetioRequester requester, MessageEncoder<Q> encoding, Function<? super ByteBuffer, ? extends A> decoder) {
        this.requester = requester;
        this.encoding = encoding;
        this.decoder = Objects.requireNonNull(decoder, "decoder");
    }

    /** The tag of the responder that is asked. */
    public long tag() {
        return requester.tag();
    }

    /**
     * Asks the responder, each time the Mono is subscribed to, as {@link NetioRequester#request} does. The encoder is called on
     * the thread that subscribes, and the decoder on the connection's loop.
     *
     * <p>The Mono also fails with what encoder or decoder throw. It fails with what {@link
     * NetioOutbound#send(org.reactivestreams.Publisher, NetioEncoder)} fails with if the encoder does something else wrong, and
     * with a NullPointerException if the decoder returns null. Nothing was asked if the encoder is at fault.
     */
    public Mono<A> request(Q value) {
        return Mono.defer(() -> requester.request(encoding.message(value)).map(UserCode.guarded(this::decoded)));
    }

    private A decoded(ByteBuffer answer) {
        return Objects.requireNonNull(decoder.apply(answer), "the decoder returned null");
    }

    @Override
    public String toString() {
        return requester.toString();
    }
}
