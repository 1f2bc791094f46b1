// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.request;

import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.send.MessageEncoder;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** Makes a function of values one of messages, as a responder has it. */
public final class TypedAnswers {

    private TypedAnswers() {
    }

    /** The function is called on the loop, and the answer written on the thread that emits it, in a heap buffer of its own. */
    public static <Q, A> Function<ByteBuffer, Mono<ByteBuffer>> of(Function<? super ByteBuffer, ? extends Q> decoder,
            MessageEncoder<A> encoding, Function<? super Q, ? extends Mono<? extends A>> function) {
        Objects.requireNonNull(decoder, "decoder");
        Objects.requireNonNull(function, "function");
        return request -> {
            Q value = Objects.requireNonNull(decoder.apply(request), "the decoder returned null");
            Mono<? extends A> answer = Objects.requireNonNull(function.apply(value), "the function has returned no Mono");
            return answer.map(UserCode.guarded(encoding::message));
        };
    }
}
