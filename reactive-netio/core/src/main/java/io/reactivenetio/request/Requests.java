// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.request;

import io.reactivenetio.connection.Connection;
import io.reactivenetio.connection.HeapCopy;
import io.reactivenetio.framing.stream.StreamSession;
import io.reactivenetio.framing.stream.receive.Prefetch;
import io.reactivenetio.framing.stream.receive.SubscriptionListener;
import io.reactivenetio.framing.stream.send.SharedMessage;
import io.reactivenetio.framing.stream.send.StreamSource;
import io.reactivenetio.framing.stream.send.StreamSourcePort;
import io.reactivenetio.framing.stream.send.TagService;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.wire.ProtocolException;
import io.reactivenetio.wire.TagPattern;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Operators;

/**
 * The requests of one requester, from their arrival here to their answers. A request is sent only if the responder's demand
 * leaves one message for the cancel of each request that is under way. So no cancel waits behind requests. Calls are on the
 * loop, unless said otherwise.
 */
final class Requests implements TagService {
    /**
     * A request, with the sink that waits for its answer. It owns its payload, a heap buffer, until that is sent or the request
     * is withdrawn.
     */
    static final class PendingRequest {
        private final MonoSink<ByteBuffer> sink;
        /** Whether it has left its place: it was sent or cancelled, or there will be no answers. Set once, on any thread. */
        private final AtomicBoolean left = new AtomicBoolean();
        private final int status;
        private ByteBuffer payload;
        private boolean cancellable;
        private long number;

        /** {@code payload} begins with headers if {@code status} says so. */
        PendingRequest(MonoSink<ByteBuffer> sink, int status, ByteBuffer payload) {
            this.sink = sink;
            this.status = status;
            this.payload = payload;
        }
    }

    /** An answer. Its payload is a heap buffer of its own. */
    private record Answer(long number, int status, ByteBuffer payload) { }

    private static final Prefetch EXACT_DEMAND = Prefetch.of(0);

    private final Connection connection;
    private final StreamSession session;
    private final long tag;
    private final int mostWaiting;
    /** How many requests wait here or are on their way to the loop. Any thread changes it. */
    private final AtomicInteger accepted = new AtomicInteger();
    private final Set<PendingRequest> waiting = new LinkedHashSet<>();
    private final Map<Long, PendingRequest> underWay = new HashMap<>();
    private final Deque<PendingRequest> cancels = new ArrayDeque<>();
    private int cancellable;
    private long next;
    private @Nullable ToResponder responder;
    private @Nullable FromResponder receiving;
    private @Nullable IllegalStateException refusal;

    /** Of which {@code mostWaiting} wait until the peer takes them, at most. */
    Requests(Connection connection, StreamSession session, long tag, int mostWaiting) {
        this.connection = connection;
        this.session = session;
        this.tag = tag;
        this.mostWaiting = mostWaiting;
    }

    @Override
    public StreamSource serve(TagPattern pattern, int policy) {
        if (responder != null) {
            throw new IllegalStateException("these requests have a responder already");
        }
        ToResponder requests = new ToResponder();
        responder = requests;
        return requests;
    }

    /** Fails all requests with {@code reason}, because the tag is in use. */
    void refuse(IllegalStateException reason) {
        refusal = reason;
        end(reason);
    }

    /** Takes a place for one more request, which {@link #leave} gives back; false if none is free. On any thread. */
    boolean accept() {
        if (accepted.incrementAndGet() <= mostWaiting) {
            return true;
        }
        accepted.decrementAndGet();
        return false;
    }

    /** Gives back the place of {@code request}, at once, whatever the loop knows. False if it had left before. On any thread. */
    boolean leave(PendingRequest request) {
        if (request.left.getAndSet(true)) {
            return false;
        }
        accepted.decrementAndGet();
        return true;
    }

    /** Lets go of the payload if the request was not sent; {@link #cancel} does the rest. On any thread. */
    void withdraw(PendingRequest request) {
        if (leave(request)) {
            request.payload = RequestProtocol.NOTHING;
        }
    }

    /** Adds a request that was accepted. */
    void add(PendingRequest request) {
        if (refusal != null) {
            leave(request);
            request.sink.error(refusal);
            return;
        }
        if (request.left.get()) {
            return; // cancelled before
        }
        waiting.add(request);
        FromResponder from = receiving;
        if (from == null) {
            from = new FromResponder();
            receiving = from;
            answers(from).subscribe(from);
        }
        from.want();
        ready();
    }

    /** Cancels a request that was withdrawn. */
    void cancel(PendingRequest request) {
        if (waiting.remove(request)) {
            if (receiving != null) {
                receiving.spare++;
            }
        } else if (request.cancellable) {
            cancels.add(request);
            ready();
        }
    }

    /** Subscribes to the tag at the peer, and tells {@code listener} when the peer hears of that. */
    private Flux<Answer> answers(SubscriptionListener listener) {
        return Flux.defer(() -> connection.receiveTagged(session.inbound(tag, EXACT_DEMAND, listener),
                (number, status, payload) -> new Answer(number, status, HeapCopy.of(payload))));
    }

    private void ready() {
        if (responder != null) {
            responder.ready();
        }
    }

    /** The next message for the responder, which has requested {@code demand} of them; null if there is none. */
    private @Nullable SharedMessage poll(long demand) {
        for (PendingRequest cancel = cancels.poll(); cancel != null; cancel = cancels.poll()) {
            if (cancel.cancellable) { // and not answered meanwhile
                settle(cancel);
                return new SharedMessage(cancel.number, RequestProtocol.CANCEL, RequestProtocol.NOTHING);
            }
        }
        if (demand < cancellable + 2L || receiving == null || !receiving.announced) {
            return null;
        }
        for (PendingRequest request : waiting) {
            if (leave(request)) { // else the request is cancelled, and will be removed
                return begin(request);
            }
        }
        return null;
    }

    private SharedMessage begin(PendingRequest request) {
        waiting.remove(request);
        request.number = next++;
        request.cancellable = true;
        cancellable++;
        underWay.put(request.number, request);
        return new SharedMessage(request.number, request.status, request.payload);
    }

    /** Notes that no cancel of {@code request} can follow. */
    private void settle(PendingRequest request) {
        if (request.cancellable) {
            request.cancellable = false;
            cancellable--;
        }
    }

    private void answered(Answer answer) throws ProtocolException {
        if (answer.status() < RequestProtocol.ANSWER || answer.status() == RequestProtocol.REQUEST_WITH_HEADERS) {
            throw new ProtocolException("a request, which a requester takes none of: the peer needs a responder of this tag");
        } else if (answer.status() > RequestProtocol.CANCELLED) {
            throw new ProtocolException("an answer with status " + answer.status());
        }
        PendingRequest request = underWay.remove(answer.number());
        if (request == null) {
            throw new ProtocolException("an answer to request " + Long.toUnsignedString(answer.number())
                    + ", which is none or answered already");
        }
        settle(request);
        switch (answer.status()) {
            case RequestProtocol.ANSWER -> request.sink.success(answer.payload());
            case RequestProtocol.EMPTY -> request.sink.success();
            case RequestProtocol.ERROR -> request.sink.error(new NetioStreamException("the responder failed: "
                    + RequestProtocol.text(answer.payload()), RequestProtocol.FAILED));
            default -> request.sink.error(new NetioStreamException("the responder has cancelled the request",
                    RequestProtocol.GIVEN_UP)); // CANCELLED
        }
        ready(); // another may go
    }

    /** Fails all requests with {@code reason}, because there will be no answers. */
    private void end(Throwable reason) {
        receiving = null;
        List<PendingRequest> all = new ArrayList<>(underWay.values());
        all.addAll(waiting);
        waiting.forEach(this::leave);
        waiting.clear();
        underWay.clear();
        forgetCancels(all);
        RuntimeException thrown = null;
        for (PendingRequest request : all) {
            try {
                request.sink.error(reason);
            } catch (RuntimeException e) { // one subscriber that throws must not keep the others from their end
                thrown = e;
            }
        }
        if (thrown != null) {
            throw thrown;
        }
    }

    private void forgetCancels(Collection<PendingRequest> of) {
        cancels.clear();
        of.forEach(this::settle);
    }

    /** The stream of requests and cancels. When the responder has ended it, answers may still be on their way. */
    private final class ToResponder implements StreamSource {
        private @Nullable StreamSourcePort port;
        private long demand;

        void ready() {
            if (port != null) {
                port.ready();
            }
        }

        @Override
        public void open(StreamSourcePort to) {
            port = to;
        }

        @Override
        public void requested(long n) {
            demand = Operators.addCap(demand, n);
        }

        @Override
        public @Nullable SharedMessage poll() {
            SharedMessage message = Requests.this.poll(demand);
            if (message != null && demand != Long.MAX_VALUE) {
                demand--;
            }
            return message;
        }

        @Override
        public void closed() {
            responder = null;
            forgetCancels(underWay.values());
        }
    }

    /** The stream of answers. One answer is asked for with each request. */
    private final class FromResponder extends BaseSubscriber<Answer> implements SubscriptionListener {
        /** How many answers were asked for that are not needed. */
        private long spare;
        private long early;
        private boolean open;
        /** Whether the peer has heard of this stream. No request may come before, or another responder might answer it. */
        private boolean announced;

        void want() {
            if (spare > 0) {
                spare--;
            } else if (open) {
                request(1);
            } else {
                early++;
            }
        }

        @Override
        public void opened() {
            announced = true;
            ready();
        }

        @Override
        public void subscribed(long next, long run, long waiting) {
            // answers have no numbers of their own
        }

        @Override
        public void dropped(long n) {
            // no responder drops any
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            open = true;
            if (early > 0) {
                request(early);
            }
        }

        @Override
        protected void hookOnNext(Answer answer) {
            try {
                answered(answer);
            } catch (ProtocolException e) {
                cancel();
                end(new NetioProtocolException("the responder broke the rules: " + e.getMessage(), e));
            }
        }

        @Override
        protected void hookOnComplete() {
            end(new NetioAbortedException("the responder has ended before it answered", 0, null));
        }

        @Override
        protected void hookOnError(Throwable error) {
            end(error);
        }
    }
}
