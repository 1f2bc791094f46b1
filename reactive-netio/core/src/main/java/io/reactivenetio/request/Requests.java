// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.request;

import io.reactivenetio.api.Right;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.connection.Connection;
import io.reactivenetio.framing.stream.Prefetch;
import io.reactivenetio.framing.stream.StreamSession;
import io.reactivenetio.framing.stream.StreamSource;
import io.reactivenetio.framing.stream.SubscriptionListener;
import io.reactivenetio.framing.stream.TagService;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * The requests of one requester. They wait here for a responder, and each responder has them in an {@link Exchange} of its own.
 * Calls are on the loop, unless said otherwise.
 */
final class Requests implements TagService {
    private static final Prefetch EXACT_DEMAND = Prefetch.of(0);

    private final Connection connection;
    private final StreamSession session;
    private final long tag;
    private final int mostWaiting;
    /** How many requests wait here or are on their way to the loop. Any thread changes it. */
    private final AtomicInteger accepted = new AtomicInteger();
    private final Set<PendingRequest> waiting = new LinkedHashSet<>();
    /** The exchange with the present responder, or with the next one; null if nobody has asked or answered yet. */
    private @Nullable Exchange present;
    private @Nullable IllegalStateException refusal;

    /** Creates the requests of one tag; at most {@code mostWaiting} wait until the peer takes them. */
    Requests(Connection connection, StreamSession session, long tag, int mostWaiting) {
        this.connection = connection;
        this.session = session;
        this.tag = tag;
        this.mostWaiting = mostWaiting;
    }

    @Override
    public Right right() {
        return Right.RESPOND;
    }

    @Override
    public StreamSource serve(Tags wanted, @Nullable SlowPolicy policy) {
        Exchange exchange = present();
        if (exchange.hasResponder()) {
            throw new IllegalStateException("these requests have a responder already");
        }
        return exchange;
    }

    private Exchange present() {
        Exchange exchange = present;
        if (exchange == null) {
            exchange = new Exchange(this);
            present = exchange;
        }
        return exchange;
    }

    /** Fails all requests with {@code reason}, because the tag is in use. */
    void refuse(IllegalStateException reason) {
        refusal = reason;
        fail(List.of(), reason);
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
        if (request.leave()) {
            accepted.decrementAndGet();
            return true;
        }
        return false;
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
            request.fail(refusal);
            return;
        }
        if (request.hasLeft()) {
            return; // cancelled before
        }
        waiting.add(request);
        Exchange exchange = present();
        exchange.listen();
        exchange.ready();
    }

    /** Cancels a request that was withdrawn. */
    void cancel(PendingRequest request) {
        Exchange exchange = request.exchange;
        if (!waiting.remove(request) && exchange != null) {
            exchange.cancel(request);
        }
    }

    // ---- for the exchanges

    /** Subscribes to the tag at the peer, and tells {@code listener} when the peer hears of that. */
    Flux<Exchange.Answer> answers(SubscriptionListener listener) {
        return Flux.defer(() -> connection.receiveTagged(
                session.inbound(Right.RESPOND, tag, EXACT_DEMAND, listener), Exchange::answer));
    }

    /** How long whoever has subscribed to the requests may ask for none. */
    long patienceNanos() {
        return session.serveNanos();
    }

    String isNotServed() {
        return "nobody serves tag " + Long.toUnsignedString(tag) + ": both sides have a requester of it, and neither responds";
    }

    /** How many requests wait for {@code exchange}. */
    int waiting(Exchange exchange) {
        return exchange == present ? waiting.size() : 0;
    }

    /** The next request for {@code exchange}; null if there is none. */
    @Nullable PendingRequest take(Exchange exchange) {
        if (exchange == present) {
            for (PendingRequest request : waiting) {
                if (leave(request)) { // else the request is cancelled, and will be removed
                    waiting.remove(request);
                    return request;
                }
            }
        }
        return null;
    }

    /** Tells the answer. A subscriber that throws must not keep the other requests from theirs. */
    void answer(PendingRequest request, Exchange.Answer answer) {
        try {
            request.end(answer.status(), answer.payload());
        } catch (Throwable t) {
            connection.loop().report(t);
        }
    }

    /** The responder of {@code exchange} takes no more requests: those that wait are for the next one. */
    void left(Exchange exchange) {
        if (exchange == present) {
            present = null;
            if (!waiting.isEmpty()) {
                present().listen();
            }
        }
    }

    /** {@code exchange} gets no more answers, and {@code underWay} will not be answered. */
    void ended(Exchange exchange, List<PendingRequest> underWay, Throwable reason) {
        if (exchange == present) {
            if (!exchange.hasResponder()) {
                present = null;
            }
            fail(underWay, reason);
        } else {
            tell(underWay, reason);
        }
    }

    /** Fails {@code underWay}, and all requests that wait. */
    private void fail(List<PendingRequest> underWay, Throwable reason) {
        List<PendingRequest> all = new ArrayList<>(underWay);
        all.addAll(waiting);
        waiting.forEach(this::leave);
        waiting.clear();
        tell(all, reason);
    }

    private void tell(List<PendingRequest> requests, Throwable reason) {
        for (PendingRequest request : requests) {
            try {
                request.fail(reason);
            } catch (Throwable t) { // the others must have their end, too
                connection.loop().report(t);
            }
        }
    }
}
