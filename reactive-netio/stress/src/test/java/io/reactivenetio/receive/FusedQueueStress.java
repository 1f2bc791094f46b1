// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** An operator polls its queue, and clears it, while the loop adds to it. */
public class FusedQueueStress {

    /** What is added while the queue is cleared is polled or discarded, and counted once. */
    @JCStressTest
    @Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "one was polled, the other discarded")
    @Outcome(id = "0, 2, 0", expect = ACCEPTABLE, desc = "both were discarded")
    @Outcome(expect = FORBIDDEN, desc = "lost, counted otherwise than discarded, or left in the queue")
    @State
    public static class AddAndClear {
        private final AtomicInteger discarded = new AtomicInteger();
        private final FusedQueue<Integer> queue = new FusedQueue<>(Operators.enableOnDiscard(Context.empty(),
                element -> discarded.incrementAndGet()));

        @Actor
        public void loop() {
            queue.add(1);
            queue.takeSignal();
            queue.add(2);
            queue.takeSignal();
        }

        @Actor
        public void operator() {
            queue.poll();
            queue.clear();
        }

        @Arbiter
        public void after(III_Result r) {
            r.r1 = (int) queue.takePolled();
            r.r2 = discarded.get();
            r.r3 = queue.size() + Math.abs(queue.takeLeft() - r.r2);
        }
    }
}
