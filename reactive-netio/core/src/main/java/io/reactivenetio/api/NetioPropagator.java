// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.BiConsumer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Passes what is in Reactor's Context on to the peer, in headers of requests. {@link io.reactivenetio.NetioTransport#propagation}
 * takes one. {@link #ofKeys} passes chosen keys on. {@link #write} and {@link #read} are for other headers. The methods whose
 * names begin with {@code around} are for whoever wants to see the beginning and the end of what a side does, to time or trace
 * it: {@code io.reactivenetio.micrometer} does so with Micrometer.
 *
 * <p>Headers are texts, each with a key of its own, which counts upper and lower case. A request has 64 headers at most, of 4,096
 * bytes together, 3 of which each header needs for itself. A header that does not fit any more is left out, with one warning for
 * each server and client: those that are written first must be the most important ones. The request goes on.
 *
 * <p>Requests have headers only if the peer can read them, which an older version could with a propagator only. To another one
 * they go as ever. The header {@code netio-timeout} is the {@link Deadline}'s: propagators neither read nor write it.
 *
 * <p>A propagator serves all connections, on several threads at a time, and must not block. What it throws fails the request,
 * the answer, the connecting or the subscription that it was called for.
 */
public interface NetioPropagator {

    /**
     * Writes the headers of a request. Called with each subscription to {@link NetioRequester#request}, on the subscribing
     * thread, if the peer can read headers.
     *
     * @param context of the subscriber, as the inner of the methods {@code aroundRequest} have left it
     * @param headers takes a key, which must not be empty, and its value; the last value of a key counts
     */
    default void write(ContextView context, BiConsumer<String, String> headers) {
        // nothing
    }

    /**
     * Makes of the headers of a request the Context in which it is answered. Called on the loop for each request, also for those
     * without headers.
     *
     * @param headers what the peer says, who may be anybody: a Map that does not change
     * @param context of the subscriber of {@link NetioConnection#respond}
     * @return the Context with which the Mono of the responder's function is subscribed to
     */
    default Context read(Map<String, String> headers, Context context) {
        return context;
    }

    /**
     * Returns {@code connecting}, the Mono of {@link io.reactivenetio.NetioClient#connect}, or one around it. {@code peer} may be
     * unresolved.
     */
    default Mono<NetioConnection> aroundConnect(SocketAddress peer, Mono<NetioConnection> connecting) {
        return connecting;
    }

    /**
     * Returns {@code messages} or a Flux around it. It is one subscription of a {@code NetioSubscriber} on one connection. One
     * that is made again, after {@code reconnect}, is another.
     *
     * @param tags the numbers of what is subscribed to, such as 7, or 4096 to 8191, or 0x10 in 0xf0 for a mask
     */
    default <T> Flux<T> aroundSubscribe(NetioConnection connection, String tags, Flux<T> messages) {
        return messages;
    }

    /**
     * Returns {@code answer}, the Mono of {@link NetioRequester#request}, or one around it. The Context that it writes is the one
     * that {@link #write} is given.
     */
    default Mono<ByteBuffer> aroundRequest(NetioConnection connection, long tag, Mono<ByteBuffer> answer) {
        return answer;
    }

    /**
     * Returns {@code answer} or a Mono around it. When it is subscribed to it calls the responder's function and subscribes to
     * what that returns. Called on the loop for each request.
     *
     * @param headers of the request: a Map that does not change
     */
    default Mono<ByteBuffer> aroundRespond(NetioConnection connection, long tag, Map<String, String> headers,
            Mono<ByteBuffer> answer) {
        return answer;
    }

    /**
     * Passes the values of these keys on, where they are Strings: from the Context of the requester's subscriber to that of the
     * responder's Mono, under the same keys. Keys that are not there or have other values are not passed on. A peer cannot set
     * other keys than these. What it says of them is its word.
     *
     * @throws IllegalArgumentException if there is no key, or an empty one
     */
    static NetioPropagator ofKeys(String... keys) {
        ContextKeys chosen = new ContextKeys(keys);
        return new NetioPropagator() {
            @Override
            public void write(ContextView context, BiConsumer<String, String> headers) {
                chosen.write(context, headers);
            }

            @Override
            public Context read(Map<String, String> headers, Context context) {
                return chosen.read(headers, context);
            }

            @Override
            public String toString() {
                return "propagator of " + chosen;
            }
        };
    }
}
