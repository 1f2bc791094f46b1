// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.request;

import io.reactivenetio.api.Deadline;
import io.reactivenetio.api.RequestOutcome;
import io.reactivenetio.api.Right;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.connection.Connection;
import io.reactivenetio.connection.HeapCopy;
import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.framing.stream.Prefetch;
import io.reactivenetio.framing.stream.SharedMessage;
import io.reactivenetio.framing.stream.StreamSession;
import io.reactivenetio.framing.stream.StreamSource;
import io.reactivenetio.framing.stream.StreamSourcePort;
import io.reactivenetio.framing.stream.SubscriptionListener;
import io.reactivenetio.framing.stream.TagService;
import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.StreamError;
import io.reactivenetio.wire.ProtocolException;
import io.reactivenetio.wire.RequestHeaders;
import java.nio.ByteBuffer;
import java.security.Principal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.util.context.Context;
import reactor.util.retry.Retry;

/**
 * Answers the requests of one tag on one connection. It asks for two messages for each request that it works on at a time,
 * since each can be cancelled, and for another one when an answer has left. So it never has more requests to work on or answers
 * to send, and no cancel waits. Calls are on the loop, except for the signals of the Monos that give the answers. The
 * handler owns a request's payload. Of an answer a copy is made, on the thread that emits it. The responder owns that until it
 * has left.
 */
public final class Responder extends BaseSubscriber<Responder.Request> implements TagService, StreamSource {
    /** A request or a cancel. Its payload is a heap buffer of its own. */
    record Request(long number, int status, Map<String, String> headers, @Nullable Deadline deadline, ByteBuffer payload) { }

    /** How long passes until the peer is asked again whether it has requests, unless it subscribes to the answers before. */
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Prefetch EXACT_DEMAND = Prefetch.of(0);

    private final Connection connection;
    private final StreamSession session;
    private final EventLoop loop;
    private final long tag;
    private final RequestHandler handler;
    private final RequestObservers observers;
    private final int concurrency;
    private final MonoSink<Void> whenOver;
    private final Context context;
    private final Map<Long, Work> working = new HashMap<>();
    private final Deque<SharedMessage> answers = new ArrayDeque<>();
    private @Nullable StreamSourcePort port;
    /** Whether the peer has subscribed to the answers. */
    private boolean isKnown;
    /** Whether the peer will hear of this responder. */
    private boolean isTold;
    /** Whether there was a request: the peer has a requester. A responder of the peer, which nobody needs, may come and go. */
    private boolean asked;
    private boolean stopped;
    private final SubscriptionListener told = new SubscriptionListener() {
        @Override
        public void written() {
            isTold = true;
        }

        @Override
        public void subscribed(long next, long run, long waiting) {
            // requests have no numbers of their own
        }

        @Override
        public void dropped(long n) {
            // no requester drops any
        }
    };
    /** Ends the pause until the peer is asked again; null if there is none. */
    private @Nullable MonoSink<Long> pause;
    /** Whether the peer's requester was heard of since the peer was asked. */
    private boolean heard;

    /** Answers at most {@code concurrency} requests of {@code tag} at a time. */
    public Responder(Connection connection, StreamSession session, long tag, RequestHandler handler, RequestObservers observers,
            int concurrency, MonoSink<Void> whenOver) {
        this.connection = connection;
        this.session = session;
        this.loop = connection.loop();
        this.tag = tag;
        this.handler = handler;
        this.observers = observers;
        this.concurrency = concurrency;
        this.whenOver = whenOver;
        Principal peer = connection.peer();
        Context given = Context.of(whenOver.contextView());
        this.context = peer == null ? given : given.put(Principal.class, peer);
    }

    /**
     * Starts to answer. On the loop that happens at once, so that the responder is there before the first request; from other
     * threads it happens on the loop. {@code whenOver} completes when a requester that has asked, or the connection, has gone,
     * and its cancel stops the responder.
     */
    public void start() {
        if (!execute(this::begin)) {
            whenOver.error(new NetioAbortedException("the event loop has terminated", 0, null));
        }
    }

    private void begin() {
        try {
            session.serve(tag, this);
        } catch (IllegalStateException e) { // told later, so that a retry without a pause does not hold up the loop
            loop.atEndOfTurn(() -> whenOver.error(e));
            return;
        }
        requests().subscribe(this);
        whenOver.onDispose(() -> execute(this::stop));
    }

    /** The requests. Where nobody asks any for a while, the peer refuses the subscription: it is made again. */
    private Flux<Request> requests() {
        if (!connection.mayPeer(Right.REQUEST, Tags.of(tag))) {
            // its requester is refused when it subscribes to the answers
            return connection.onDispose().thenMany(Flux.empty());
        }
        Flux<Request> received = Flux.defer(() -> connection.receiveTagged(
                session.inbound(Right.REQUEST, tag, EXACT_DEMAND, told), this::received));
        return received.retryWhen(Retry.from(failures -> failures.concatMap(failed ->
                failed.failure() instanceof NetioStreamException refused && refused.error() == StreamError.NOT_SERVED
                        ? pause() : Mono.<Long>error(failed.failure()))))
                .repeatWhen(ends -> ends.takeWhile(n -> !asked).concatMap(n -> pause()));
    }

    /** A while, or until the peer's requester is heard of. */
    private Mono<Long> pause() {
        if (heard) {
            heard = false;
            return Mono.just(0L);
        }
        return Mono.firstWithSignal(Mono.<Long>create(sink -> pause = sink),
                Mono.delay(PAUSE, connection.resources().scheduler()));
    }

    /** Runs {@code task} on the loop. Returns false if the loop has terminated, and the connection with it. */
    private boolean execute(Runnable task) {
        if (loop.inEventLoop()) {
            task.run();
            return true;
        }
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    // ---- requests

    /** Makes a request of its message, which is in a receive buffer. */
    private Request received(long number, int status, ByteBuffer message) {
        if (status != RequestProtocol.REQUEST_WITH_HEADERS || !session.requestHeaders()) {
            return new Request(number, status, Map.of(), null, HeapCopy.of(message));
        }
        Map<String, String> headers;
        Deadline deadline;
        try {
            headers = RequestHeaders.decode(message);
            String timeout = headers.remove(RequestHeaders.TIMEOUT);
            deadline = timeout == null ? null : Deadline.in(RequestHeaders.timeout(timeout), loop::nanoTime);
        } catch (ProtocolException e) {
            throw new NetioProtocolException("the requester broke the rules: " + e.getMessage(), e);
        }
        return new Request(number, RequestProtocol.REQUEST, Collections.unmodifiableMap(headers), deadline,
                HeapCopy.of(message.slice().order(message.order())));
    }

    @Override
    public Context currentContext() {
        return context;
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
        request(2L * concurrency);
    }

    @Override
    protected void hookOnNext(Request request) {
        asked = true;
        switch (request.status) {
            case RequestProtocol.REQUEST -> begin(request);
            case RequestProtocol.CANCEL -> {
                Work work = working.get(request.number);
                if (work != null) {
                    cancel(work);
                }
                request(1);
            }
            default -> broken("a request with status " + request.status);
        }
    }

    private void begin(Request request) {
        long number = request.number;
        if (working.containsKey(number) || working.size() >= concurrency) { // the demand limits the answers that wait
            broken("request " + Long.toUnsignedString(number) + ", which it has made already or was not asked for");
            return;
        }
        Work work = new Work(number, request.deadline);
        working.put(number, work);
        if (!work.startDeadline()) {
            return;
        }
        try {
            handler.answer(request.headers, request.payload).subscribe(work);
        } catch (Throwable t) { // the user's
            work.fail(t);
        }
    }

    private void cancel(Work work) {
        answer(work, RequestProtocol.CANCELLED, RequestProtocol.NOTHING);
        work.cancel();
    }

    private void broken(String what) {
        whenOver.error(new NetioProtocolException("the requester broke the rules: " + what, null));
        stop();
    }

    @Override
    protected void hookOnComplete() {
        stop();
        whenOver.success();
    }

    @Override
    protected void hookOnError(Throwable error) {
        stop();
        if (error instanceof NetioAbortedException) {
            whenOver.success();
        } else {
            whenOver.error(error);
        }
    }

    private void stop() {
        if (!stopped) {
            stopped = true;
            cancel();
            if (!isKnown && isTold) { // a requester that hears of this responder must not wait for the answers of a later one
                session.unserveUnknown(tag, this);
            } else {
                session.unserve(tag, this);
            }
            List.copyOf(working.values()).forEach(Work::giveUp);
            working.clear();
            completeIfDone();
        }
    }

    // ---- answers

    private void answer(Work work, int status, ByteBuffer payload) {
        if (working.remove(work.number, work)) {
            work.endDeadline();
            work.sample.end(RequestProtocol.outcome(status));
            answers.add(new SharedMessage(work.number, status, payload));
            if (port != null) {
                port.ready();
            }
        }
    }

    @Override
    public Right right() {
        return Right.REQUEST;
    }

    @Override
    public StreamSource serve(Tags wanted, @Nullable SlowPolicy policy) {
        if (port != null) {
            throw new IllegalStateException("this responder has a requester already");
        }
        return this;
    }

    @Override
    public void open(StreamSourcePort to) {
        port = to;
        isKnown = true;
        MonoSink<Long> waiting = pause;
        if (waiting != null) {
            pause = null;
            waiting.success(0L);
        } else {
            heard = true; // a refusal may be on its way
        }
    }

    @Override
    public void requested(long n) {
        // the requester asks for an answer with each request
    }

    @Override
    public @Nullable SharedMessage poll() {
        SharedMessage answer = answers.poll();
        if (answer == null) {
            return null;
        }
        if (stopped) {
            completeIfDone();
        } else {
            request(1);
        }
        return answer;
    }

    private void completeIfDone() {
        if (port != null && answers.isEmpty()) {
            port.complete();
        }
    }

    @Override
    public void closed() {
        port = null;
        answers.clear();
        if (!asked) {
            isKnown = false; // another may come
        } else if (!stopped) {
            stop();
            whenOver.success();
        }
    }

    /** Waits for the answer to one request. Its signals come on any thread. */
    private final class Work extends BaseSubscriber<ByteBuffer> {
        private final long number;
        private final @Nullable Deadline deadline;
        private final RequestSample sample = observers.begin();
        private @Nullable DelayedTask late;

        Work(long number, @Nullable Deadline deadline) {
            this.number = number;
            this.deadline = deadline;
        }

        @Override
        public Context currentContext() {
            return deadline == null ? context : deadline.in(context);
        }

        /** Has the work cancelled at its deadline. False if that is over. */
        boolean startDeadline() {
            if (deadline != null) {
                long left = deadline.remainingNanos();
                if (left <= 0) {
                    Responder.this.cancel(this);
                    return false;
                }
                try {
                    late = loop.schedule(() -> Responder.this.cancel(this), left, TimeUnit.NANOSECONDS);
                } catch (RejectedExecutionException terminating) {
                    // the connection ends before
                }
            }
            return true;
        }

        void endDeadline() {
            if (late != null) {
                late.cancel();
            }
        }

        void giveUp() {
            endDeadline();
            sample.end(RequestOutcome.LOST);
            dispose();
        }

        private void end(int status, ByteBuffer payload) {
            execute(() -> answer(this, status, payload));
        }

        @Override
        protected void hookOnNext(ByteBuffer answer) {
            int bytes = answer.remaining();
            if (bytes > session.largestMessage()) {
                end(RequestProtocol.ERROR, RequestProtocol.text("an answer of " + bytes + " bytes; the requester takes at most "
                        + session.largestMessage()));
                return;
            }
            ByteBuffer copy;
            try {
                copy = HeapCopy.of(answer);
            } catch (Throwable t) { // out of memory
                fail(t);
                return;
            }
            end(RequestProtocol.ANSWER, copy);
        }

        @Override
        protected void hookOnComplete() {
            end(RequestProtocol.EMPTY, RequestProtocol.NOTHING); // unless there was an answer
        }

        @Override
        protected void hookOnError(Throwable error) {
            end(RequestProtocol.ERROR, RequestProtocol.text(UserCode.text(error)));
        }

        void fail(Throwable thrown) {
            hookOnError(thrown);
            dispose();
        }
    }
}
