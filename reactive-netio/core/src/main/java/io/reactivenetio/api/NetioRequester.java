// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;

/**
 * Asks the peer, which has {@linkplain NetioConnection#respond a responder} of this tag. Each request gets one answer. Answers
 * come in the order in which they are ready, on the connection's loop. All methods may be called on any thread.
 *
 * <p>No more requests are on their way than the responder works on at a time. Up to {@value #MOST_WAITING} others wait here, also
 * while the peer has no responder yet. The streams of the requester's tag must not be used for anything else.
 */
public interface NetioRequester {
    /** How many requests wait until the peer takes them, at most. */
    int MOST_WAITING = 1024;

    /** The tag of the responder that is asked. */
    long tag();

    /**
     * Sends a request with {@code payload}, from its position to its limit, each time the Mono is subscribed to. A copy of the
     * payload is made then. The answer is a heap buffer of its own. The Mono is empty if the responder's Mono is. A cancel, also
     * that of {@code timeout}, cancels what the responder does for the request.
     *
     * <p>{@linkplain io.reactivenetio.NetioTransport#propagation Propagators} write headers of the request, from the Context of
     * the subscriber.
     *
     * <p>The Mono fails
     * <ul>
     * <li>with {@link NetioStreamException} if the responder fails ({@code SOURCE_FAILED}, with its text) or nobody responds to
     *     this tag ({@code NOT_SERVED});
     * <li>with {@link NetioAbortedException} when the connection ends first: then it is not known what the responder has done;
     * <li>with {@link MessageTooLargeException} if the peer does not take so large a message;
     * <li>with an overflow, see {@link Exceptions#isOverflow}, if {@value #MOST_WAITING} others wait;
     * <li>with {@link IllegalStateException} if the tag has a responder on this side.
     * </ul>
     */
    Mono<ByteBuffer> request(ByteBuffer payload);

    /**
     * The same, for an answer that is of use only within {@code timeout} of each subscription. Then the Mono fails with a {@link
     * TimeoutException}, which a timeout of zero or less does at once, and nothing is sent. One of 292 years or more is none.
     *
     * <p>The request takes along what is left of that time when it is sent, in a header. So the responder knows it, as the {@link
     * Deadline} in the Context of its Mono, and cancels that by itself when the time is over there. It does not begin with what
     * comes too late. A request that is made in that Context is sent with the rest, or with its own timeout if that is shorter. A
     * peer of an older version ignores the header, and is told of the cancel as ever.
     */
    Mono<ByteBuffer> request(ByteBuffer payload, Duration timeout);
}
