// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.request;

import java.nio.ByteBuffer;
import java.util.Map;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * What a server's or client's propagators make of subscriptions, requests and answers. All methods may be called on any thread.
 *
 * @param <C> the connections that users hold
 */
public interface ContextPropagation<C> {

    /** Whether there is no propagator, so that everything stays as it is. */
    boolean isNone();

    /** The headers of a request with {@code context}, encoded, in {@code room} bytes at most; nothing if there are none. */
    byte[] headers(ContextView context, int room);

    /** {@code messages}, with what the propagators have around a subscription. */
    <T> Flux<T> subscribe(C connection, String tags, Flux<T> messages);

    /** {@code answer} of a requester, with what the propagators have around it. */
    Mono<ByteBuffer> request(C connection, long tag, Mono<ByteBuffer> answer);

    /** {@code answer} of a responder, with the Context that the headers of its request make. */
    Mono<ByteBuffer> respond(C connection, long tag, Map<String, String> headers, Mono<ByteBuffer> answer);
}
