// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.request;

import io.reactivenetio.connection.HeapCopy;
import io.reactivenetio.framing.stream.SharedMessage;
import io.reactivenetio.framing.stream.StreamSource;
import io.reactivenetio.framing.stream.StreamSourcePort;
import io.reactivenetio.framing.stream.SubscriptionListener;
import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.StreamError;
import io.reactivenetio.wire.ProtocolException;
import io.reactivenetio.wire.RequestHeaders;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Operators;

/**
 * The requests to one responder of the peer, and its answers. A responder that follows another has an exchange of its own, so
 * what is left of the former one cannot meddle with it. Each responder is subscribed to as soon as it is heard of, and never
 * twice: so the peer's first subscription to the answers that arrives is for its first responder that has none, and so on.
 *
 * <p>A request is sent only if the responder's demand leaves one message for the cancel of each request that is under way. So no
 * cancel waits behind requests. On the loop.
 */
final class Exchange implements StreamSource {
    /** An answer. Its payload is a heap buffer of its own. */
    record Answer(long number, int status, ByteBuffer payload) { }

    /** The demand of every responder that works on anything. */
    private static final int LEAST_DEMAND = 2;
    /** A responder's demand is in the page of its subscription or in the next one. */
    private static final long LEAST_PATIENCE = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int MOST_ATTEMPTS = 16;

    private final Requests requests;
    private final Map<Long, PendingRequest> underWay = new HashMap<>();
    private final Deque<PendingRequest> cancels = new ArrayDeque<>();
    private int cancellable;
    private long next;
    /** Where requests go, if the responder has subscribed to them. */
    private @Nullable StreamSourcePort responder;
    /** Whether a responder has subscribed, and has ended that: another one has another exchange. */
    private boolean over;
    /** Whether this side closes the connection: no other responder follows. */
    private boolean cut;
    private long demand;
    private @Nullable DelayedTask doubt;
    private @Nullable FromResponder answers;
    private int attempts;

    Exchange(Requests requests) {
        this.requests = requests;
    }

    boolean hasResponder() {
        return responder != null;
    }

    /** Subscribes to the answers, unless that has happened, and asks for as many as there are requests. */
    void listen() {
        FromResponder from = answers;
        if (from == null) {
            from = new FromResponder();
            answers = from;
            requests.answers(from).subscribe(from);
        }
        from.ask();
    }

    /** Says that there may be requests to send. */
    void ready() {
        if (responder != null) {
            responder.ready();
        }
    }

    /** Sends the cancel of a request, which is under way. */
    void cancel(PendingRequest request) {
        if (request.cancellable) {
            cancels.add(request);
            ready();
        }
    }

    // ---- the stream of requests and cancels; when the responder has ended it, answers may still be on their way

    @Override
    public void open(StreamSourcePort to) {
        responder = to;
        try {
            doubt = to.loop().schedule(() -> doubted(to), Math.max(requests.patienceNanos(), LEAST_PATIENCE),
                    TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException terminating) {
            // the connection ends before
        }
        listen();
    }

    @Override
    public void requested(long n) {
        demand = Operators.addCap(demand, n);
        if (demand >= LEAST_DEMAND) {
            endDoubt();
        }
    }

    private void endDoubt() {
        DelayedTask due = doubt;
        if (due != null) {
            doubt = null;
            due.cancel();
        }
    }

    /** Refuses who has subscribed and asked for nothing for so long. */
    private void doubted(StreamSourcePort to) {
        doubt = null;
        if (responder == to) {
            refuse();
        }
    }

    /** Refuses the peer, which is a requester itself, and waits for answers or has sent a request. No request is answered. */
    private void refuse() {
        String why = requests.isNotServed();
        over = true;
        endDoubt();
        StreamSourcePort to = responder;
        FromResponder from = answers;
        List<PendingRequest> all = endUnderWay();
        requests.ended(this, all, new NetioStreamException(why + " (code " + StreamError.NOT_SERVED.code() + ")",
                StreamError.NOT_SERVED));
        if (to != null) {
            to.fail(StreamError.NOT_SERVED.code(), why); // before the cancel, which only says that another responder may follow
        }
        if (from != null && answers == from) {
            answers = null;
            from.cancel();
        }
    }

    private List<PendingRequest> endUnderWay() {
        List<PendingRequest> all = new ArrayList<>(underWay.values());
        forgetCancels();
        underWay.clear();
        return all;
    }

    @Override
    public @Nullable SharedMessage poll() {
        SharedMessage message = nextMessage();
        if (message != null && demand != Long.MAX_VALUE) {
            demand--;
        }
        return message;
    }

    private @Nullable SharedMessage nextMessage() {
        for (PendingRequest cancel = cancels.poll(); cancel != null; cancel = cancels.poll()) {
            if (cancel.cancellable) { // and not answered meanwhile
                settle(cancel);
                return new SharedMessage(cancel.number, RequestProtocol.CANCEL, RequestProtocol.NOTHING);
            }
        }
        if (demand < cancellable + 2L || answers == null || !answers.announced) {
            return null;
        }
        PendingRequest request = requests.take(this);
        return request == null ? null : begin(request);
    }

    private SharedMessage begin(PendingRequest request) {
        request.number = next++;
        request.cancellable = true;
        request.exchange = this;
        cancellable++;
        underWay.put(request.number, request);
        if (request.deadline != null && request.status == RequestProtocol.REQUEST_WITH_HEADERS) {
            RequestHeaders.setTimeout(request.payload, request.deadline.remainingNanos());
        }
        return new SharedMessage(request.number, request.status, request.payload);
    }

    /** Notes that no cancel of {@code request} can follow. */
    private void settle(PendingRequest request) {
        if (request.cancellable) {
            request.cancellable = false;
            cancellable--;
        }
    }

    @Override
    public void cut() {
        cut = true;
    }

    @Override
    public void closed() {
        responder = null;
        over = true;
        endDoubt();
        forgetCancels();
        if (!cut) { // else the end of the answers fails what waits
            requests.left(this);
        }
    }

    private void forgetCancels() {
        cancels.clear();
        underWay.values().forEach(this::settle);
    }

    // ---- answers

    private void answered(Answer answer) throws ProtocolException {
        if (answer.status() < RequestProtocol.ANSWER || answer.status() == RequestProtocol.REQUEST_WITH_HEADERS) {
            if (responder == null && !over) { // no requester, which would have subscribed before it asks
                throw new ProtocolException("a request, which a requester takes none of: the peer needs a responder of this tag");
            }
            refuse();
            return;
        } else if (answer.status() > RequestProtocol.CANCELLED) {
            throw new ProtocolException("an answer with status " + answer.status());
        }
        PendingRequest request = underWay.remove(answer.number());
        if (request == null) {
            throw new ProtocolException("an answer to request " + Long.toUnsignedString(answer.number())
                    + ", which is none or answered already");
        }
        settle(request);
        attempts = 0;
        requests.answer(request, answer);
        ready(); // another may go
    }

    /**
     * Ends with {@code reason} what the responder has, because there will be no answers. What it does not have yet waits for the
     * next responder, if this one has gone.
     */
    private void end(FromResponder from, Throwable reason) {
        if (answers != from) {
            return;
        }
        answers = null;
        StreamSourcePort to = responder;
        requests.ended(this, endUnderWay(), reason);
        if (to != null && reason instanceof NetioStreamException refused && refused.error() == StreamError.NOT_SERVED) {
            to.fail(StreamError.NOT_SERVED.code(), requests.isNotServed()); // the peer is a requester, and waits for answers
        }
    }

    /**
     * The answers are complete. A responder that ends cancels the requests first, unless it has gone before it asked for any. So
     * if this one has not, a former one has taken the subscription for its own, since the peer replaces them faster than the two
     * sides hear of each other.
     */
    private void complete(FromResponder from) {
        if (answers == from && !over && ++attempts <= MOST_ATTEMPTS) {
            answers = null;
            listen();
        } else {
            end(from, new NetioAbortedException("the responder has ended before it answered", 0, null));
        }
    }

    /** The responder has broken the rules: both streams end, and it is told by that. */
    private void broken(FromResponder from, ProtocolException e) {
        from.cancel();
        StreamSourcePort to = responder;
        end(from, new NetioProtocolException("the responder broke the rules: " + e.getMessage(), e));
        if (to != null) {
            to.complete();
        }
    }

    /** The stream of answers. One answer is asked for with each request. */
    private final class FromResponder extends BaseSubscriber<Answer> implements SubscriptionListener {
        /** How many answers were asked for that have not come. */
        private long asked;
        private boolean open;
        /** Whether the peer has heard of this stream. No request may come before, or another responder might answer it. */
        private boolean announced;

        void ask() {
            long needed = (long) underWay.size() + requests.waiting(Exchange.this);
            if (open && needed > asked) {
                long more = needed - asked;
                asked = needed;
                request(more);
            }
        }

        @Override
        public void opened() {
            announced = true;
            ready();
        }

        @Override
        public void subscribed(long number, long run, long waiting) {
            // answers have no numbers of their own
        }

        @Override
        public void dropped(long n) {
            // no responder drops any
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            open = true;
            ask();
        }

        @Override
        protected void hookOnNext(Answer answer) {
            asked--;
            try {
                answered(answer);
            } catch (ProtocolException e) {
                broken(this, e);
            }
        }

        @Override
        protected void hookOnComplete() {
            complete(this);
        }

        @Override
        protected void hookOnError(Throwable error) {
            end(this, error);
        }
    }

    /** Makes an answer of its message, which is in a receive buffer. */
    static Answer answer(long number, int status, ByteBuffer payload) {
        return new Answer(number, status, HeapCopy.of(payload));
    }
}
