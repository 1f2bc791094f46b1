// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.reactivenetio.counters.ConnectionCounters;
import io.reactivenetio.lease.ReleasedBuffer;
import java.util.HashSet;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable.Attr;

/** A subscriber that requests and cancels on its own threads, while messages and the end of the stream come on the loop. */
public class DemandStress {

    /** Makes an element of the size of each message. */
    private static final class SizeMapper implements ElementMapper<Integer> {
        @Override
        public Integer map(MessageRun run) {
            return run.data().remaining();
        }
    }

    /** A receiver with as many messages waiting as its constructor says, and a subscriber that has asked for none. */
    static class Receiver implements CoreSubscriber<Integer> {
        final ReleasedBuffer first = new ReleasedBuffer();
        final ReleasedBuffer second = new ReleasedBuffer();
        final ConnectionCounters counters = new ConnectionCounters();
        final Inbound inbound = new Inbound(SharedLoop.LOOP, counters, new HashSet<>(), DemandListener.NONE, 4);
        final ReceiveSubscription<Integer> subscription =
                new ReceiveSubscription<>(inbound, this, new SizeMapper());
        int elements;
        int completions;
        boolean wrong;

        Receiver(int waiting) {
            if (waiting > 0) {
                inbound.hold(new SingleMessage().begin(first).keep());
            }
            if (waiting > 1) {
                inbound.hold(new SingleMessage().begin(second).keep());
            }
            subscription.start();
        }

        @Override
        public void onSubscribe(Subscription s) {
            // the actors request and cancel
        }

        @Override
        public void onNext(Integer element) {
            wrong |= completions > 0;
            elements++;
        }

        @Override
        public void onError(Throwable error) {
            wrong = true;
        }

        @Override
        public void onComplete() {
            wrong |= completions > 0;
            completions++;
        }

        void complete() {
            SharedLoop.LOOP.execute(() -> inbound.end(null));
        }

        int references() {
            return first.references() + second.references();
        }
    }

    /** The last message is asked for at the moment in which the stream ends. */
    @JCStressTest
    @Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "the message, and after it the end")
    @Outcome(expect = FORBIDDEN, desc = "lost, told twice, out of order, or a buffer not given back")
    @State
    public static class RequestAndComplete extends Receiver {
        public RequestAndComplete() {
            super(1);
        }

        @Actor
        public void subscriber() {
            subscription.request(1);
        }

        @Actor
        public void peer() {
            complete();
        }

        @Arbiter
        public void after(III_Result r) {
            SharedLoop.settle();
            r.r1 = wrong ? -1 : elements;
            r.r2 = completions;
            r.r3 = references();
        }
    }

    /** Two threads ask for one message each. */
    @JCStressTest
    @Outcome(id = "2, 1, 0", expect = ACCEPTABLE, desc = "both, and the end")
    @Outcome(expect = FORBIDDEN, desc = "a request was lost")
    @State
    public static class RequestAndRequest extends Receiver {
        public RequestAndRequest() {
            super(2);
        }

        @Actor
        public void one() {
            subscription.request(1);
        }

        @Actor
        public void other() {
            subscription.request(1);
        }

        @Arbiter
        public void after(III_Result r) {
            complete();
            SharedLoop.settle();
            r.r1 = wrong ? -1 : elements;
            r.r2 = completions;
            r.r3 = references();
        }
    }

    /** The subscriber loses interest at the moment in which the stream ends. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "cancelled, and let go of")
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "complete, and let go of")
    @Outcome(expect = FORBIDDEN, desc = "told more than once, or still held on to")
    @State
    public static class CancelAndComplete extends Receiver {
        public CancelAndComplete() {
            super(0);
        }

        @Actor
        public void subscriber() {
            subscription.cancel();
        }

        @Actor
        public void peer() {
            complete();
        }

        @Arbiter
        public void after(II_Result r) {
            SharedLoop.settle();
            r.r1 = wrong ? -1 : completions;
            r.r2 = subscription.scan(Attr.ACTUAL) == null ? 0 : 1;
        }
    }

    /** The subscriber loses interest at the moment in which a message arrives that it has asked for. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "delivered, and its buffer posted")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "kept in its buffer")
    @Outcome(expect = FORBIDDEN, desc = "lost, or both")
    @State
    public static class CancelAndDeliver extends Receiver {
        public CancelAndDeliver() {
            super(0);
            subscription.request(1);
        }

        @Actor
        public void subscriber() {
            subscription.cancel();
        }

        @Actor
        public void peer() {
            SharedLoop.LOOP.execute(() -> inbound.hold(new SingleMessage().begin(first).keep()));
        }

        @Arbiter
        public void after(II_Result r) {
            SharedLoop.settle();
            r.r1 = wrong ? -1 : elements;
            r.r2 = references();
        }
    }
}
