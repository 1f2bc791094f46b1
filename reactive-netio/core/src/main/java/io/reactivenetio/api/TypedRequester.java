// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import java.time.Duration;
import reactor.core.publisher.Mono;

/**
 * A {@link NetioRequester} for values: an encoder makes each request, and a decoder what its answer says. All methods may be
 * called on any thread.
 *
 * @param <Q> the type of the requests
 * @param <A> the type of the answers
 */
public interface TypedRequester<Q, A> {

    /** The tag of the responder that is asked. */
    long tag();

    /**
     * Asks the responder, each time the Mono is subscribed to, as {@link NetioRequester#request} does. The encoder is called on
     * the thread that subscribes, and the decoder on the connection's loop.
     *
     * <p>The Mono also fails with what encoder or decoder throw. It fails with what {@link
     * NetioOutbound#send(org.reactivestreams.Publisher, NetioEncoder)} fails with if the encoder does something else wrong, and
     * with a NullPointerException if the decoder returns null. Nothing was asked if the encoder is at fault.
     */
    Mono<A> request(Q value);

    /** The same, with a deadline, as {@link NetioRequester#request(java.nio.ByteBuffer, Duration)}. */
    Mono<A> request(Q value, Duration timeout);
}
