// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.connection.HeapCopy;
import io.reactivenetio.framing.stream.StreamSession;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import java.nio.ByteBuffer;
import java.util.concurrent.RejectedExecutionException;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Asks the peer, which has {@linkplain NetioConnection#respond a responder} of this tag. Each request gets one answer. Answers
 * come in the order in which they are ready, on the connection's loop. All methods may be called on any thread.
 *
 * <p>No more requests are on their way than the responder works on at a time. Up to {@value #MOST_WAITING} others wait here, also
 * while the peer has no responder yet. The streams of the requester's tag must not be used for anything else.
 */
public final class NetioRequester {
    /** How many requests wait until the peer takes them, at most. */
    public static final int MOST_WAITING = 1024;

    private final long tag;
    private final EventLoop loop;
    private final NetioConnection connection;
    private final StreamSession session;
    private final Requests requests;
    private final Recorders recorders;

    private NetioRequester(NetioStream stream, StreamSession session, EventLoop loop) {
        this.tag = stream.tag();
        this.connection = stream.connection();
        this.session = session;
        this.loop = loop;
        this.requests = new Requests(stream::receiveTagged);
        this.recorders = stream.connection().recorders();
    }

    /** Makes a requester whose requests the peer's responder can get from now on. */
    static NetioRequester open(NetioStream stream, StreamSession session, EventLoop loop) {
        NetioRequester requester = new NetioRequester(stream, session, loop);
        if (loop.inEventLoop()) { // at once, so that it is there before the peer's responder
            requester.open();
        } else {
            try {
                loop.execute(() -> requester.open());
            } catch (RejectedExecutionException e) {
                // each request will say so
            }
        }
        return requester;
    }

    private void open() {
        try {
            session.serve(tag, requests);
        } catch (IllegalStateException e) {
            requests.refuse(e);
        }
    }

    /** The tag of the responder that is asked. */
    public long tag() {
        return tag;
    }

    /**
     * Sends a request with {@code payload}, from its position to its limit, each time the Mono is subscribed to. A copy of the
     * payload is made then. The answer is a heap buffer of its own. The Mono is empty if the responder's Mono is. A cancel, also
     * that of {@code timeout}, cancels what the responder does for the request.
     *
     * <p>{@linkplain NetioTransport#propagation Propagators} write headers of the request, from the Context of the subscriber.
     *
     * <p>The Mono fails
     * <ul>
     * <li>with {@link NetioStreamException} if the responder fails (code 2, with its text) or nobody responds to this tag (code
     *     3);
     * <li>with {@link NetioAbortedException} when the connection ends first: then it is not known what the responder has done;
     * <li>with {@link MessageTooLargeException} if the peer does not take so large a message;
     * <li>with an overflow, see {@link Exceptions#isOverflow}, if {@value #MOST_WAITING} others wait;
     * <li>with {@link IllegalStateException} if the tag has a responder on this side.
     * </ul>
     */
    public Mono<ByteBuffer> request(ByteBuffer payload) {
        return recorders.timed(connection.propagation().request(connection, tag, Mono.create(sink -> ask(payload, sink))));
    }

    private void ask(ByteBuffer payload, MonoSink<ByteBuffer> sink) {
        int bytes = payload.remaining();
        int room = session.largestMessage() - bytes;
        if (room < 0) {
            sink.error(new MessageTooLargeException("a request of " + bytes + " bytes; the peer takes at most "
                    + session.largestMessage() + ": send less, or raise maxMessageSize there"));
            return;
        }
        byte[] headers = session.requestHeaders() ? connection.propagation().headers(sink.contextView(), room)
                : RequestProtocol.NO_HEADERS;
        if (!requests.accept()) {
            sink.error(Exceptions.failWithOverflow(MOST_WAITING + " requests wait for the responder already: ask for no more"
                    + " at a time, with the concurrency of flatMap"));
            return;
        }
        Requests.Pending request = headers.length == 0
                ? new Requests.Pending(sink, RequestProtocol.REQUEST, HeapCopy.of(payload))
                : new Requests.Pending(sink, RequestProtocol.REQUEST_WITH_HEADERS, HeapCopy.of(headers, payload));
        if (!execute(sink, () -> requests.add(request))) {
            requests.leave(request);
            return;
        }
        sink.onCancel(() -> {
            requests.withdraw(request);
            execute(sink, () -> requests.cancel(request));
        });
    }

    private boolean execute(MonoSink<ByteBuffer> sink, Runnable task) {
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            sink.error(new NetioAbortedException("the event loop has terminated", 0, e));
            return false;
        }
    }

    @Override
    public String toString() {
        return "requester of tag " + Long.toUnsignedString(tag);
    }
}
