// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.request;

import io.reactivenetio.api.Deadline;
import io.reactivenetio.api.NetioRequester;
import io.reactivenetio.connection.Connection;
import io.reactivenetio.connection.HeapCopy;
import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.framing.stream.StreamSession;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.backend.Durations;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Scheduler;

/**
 * Makes the requests of one tag on one connection, and brings them to the loop, where {@link Requests} has them. The copy of a
 * payload is made on the thread that subscribes, and is the request's own. Methods may be called on any thread.
 */
public final class Requester implements NetioRequester {
    private final EventLoop loop;
    private final StreamSession session;
    private final long tag;
    private final Propagation propagation;
    private final Scheduler scheduler;
    private final Requests requests;
    /** What propagators and recorders have around each request. */
    private final UnaryOperator<Mono<ByteBuffer>> around;

    private Requester(Connection connection, StreamSession session, long tag, Propagation propagation,
            UnaryOperator<Mono<ByteBuffer>> around) {
        this.loop = connection.loop();
        this.session = session;
        this.tag = tag;
        this.propagation = propagation;
        this.scheduler = connection.resources().scheduler();
        this.around = around;
        this.requests = new Requests(connection, session, tag, MOST_WAITING);
    }

    /** Makes a requester whose requests the peer's responder can get from now on. */
    public static Requester open(Connection connection, StreamSession session, long tag, Propagation propagation,
            UnaryOperator<Mono<ByteBuffer>> around) {
        Requester requester = new Requester(connection, session, tag, propagation, around);
        if (requester.loop.inEventLoop()) { // at once, so that it is there before the peer's responder
            requester.open();
        } else {
            try {
                requester.loop.execute(() -> requester.open());
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

    @Override
    public long tag() {
        return tag;
    }

    @Override
    public Mono<ByteBuffer> request(ByteBuffer payload) {
        return around.apply(Mono.create(sink -> ask(payload, sink)));
    }

    @Override
    public Mono<ByteBuffer> request(ByteBuffer payload, Duration timeout) {
        long nanos = Durations.nanos(timeout);
        if (nanos == Long.MAX_VALUE) {
            return request(payload);
        }
        Mono<ByteBuffer> late = Mono.error(() -> new TimeoutException("no answer of tag " + Long.toUnsignedString(tag)
                + " within " + timeout));
        if (nanos <= 0) {
            return late;
        }
        return request(payload)
                .contextWrite(context -> Deadline.of(context).map(Deadline::remainingNanos).orElse(Long.MAX_VALUE) < nanos
                        ? context : Deadline.in(nanos, loop::nanoTime).in(context))
                .timeout(Mono.delay(timeout, scheduler).onErrorResume(terminating -> Mono.never()), late);
    }

    private void ask(ByteBuffer payload, MonoSink<ByteBuffer> sink) {
        int bytes = payload.remaining();
        int room = session.largestMessage() - bytes;
        if (room < 0) {
            sink.error(new MessageTooLargeException("a request of " + bytes + " bytes; the peer takes at most "
                    + session.largestMessage() + ": send less, or raise maxMessageSize there"));
            return;
        }
        @Nullable Deadline deadline = Deadline.of(sink.contextView()).orElse(null);
        byte[] headers;
        try {
            headers = session.requestHeaders() ? propagation.headers(sink.contextView(), deadline, room)
                    : RequestProtocol.NO_HEADERS;
        } catch (Throwable t) { // a user's propagator
            sink.error(UserCode.failure(t));
            return;
        }
        if (!requests.accept()) {
            sink.error(Exceptions.failWithOverflow(MOST_WAITING + " requests wait for the responder already: ask for no"
                    + " more at a time, with the concurrency of flatMap"));
            return;
        }
        PendingRequest request = headers.length == 0
                ? new PendingRequest(sink, RequestProtocol.REQUEST, HeapCopy.of(payload), deadline)
                : new PendingRequest(sink, RequestProtocol.REQUEST_WITH_HEADERS, HeapCopy.of(headers, payload),
                        deadline);
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
