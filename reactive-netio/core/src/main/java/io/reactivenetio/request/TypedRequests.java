// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.request;

import io.reactivenetio.api.NetioRequester;
import io.reactivenetio.api.TypedRequester;
import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.send.MessageEncoder;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** Asks with values what a requester asks with messages. */
public record TypedRequests<Q, A>(NetioRequester requester, MessageEncoder<Q> encoding,
        Function<? super ByteBuffer, ? extends A> decoder) implements TypedRequester<Q, A> {

    public TypedRequests {
        Objects.requireNonNull(decoder, "decoder");
    }

    @Override
    public long tag() {
        return requester.tag();
    }

    @Override
    public Mono<A> request(Q value) {
        return Mono.defer(() -> requester.request(encoding.message(value)).map(UserCode.guarded(this::decoded)));
    }

    @Override
    public Mono<A> request(Q value, Duration timeout) {
        return Mono.defer(() -> requester.request(encoding.message(value), timeout).map(UserCode.guarded(this::decoded)));
    }

    private A decoded(ByteBuffer answer) {
        return Objects.requireNonNull(decoder.apply(answer), "the decoder returned null");
    }

    @Override
    public String toString() {
        return requester.toString();
    }
}
