// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import reactor.util.context.Context;

/** An operator polls its queue, and clears it, while the loop adds to it. */
public class FusedQueueStress {

    /** What is added while the queue is cleared is polled or discarded, and counted once. */
    @JCStressTest
    @Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "one was polled, the other discarded")
    @Outcome(id = "0, 2, 0", expect = ACCEPTABLE, desc = "both were discarded")
    @Outcome(expect = FORBIDDEN, desc = "lost, counted twice, or left in the queue")
    @State
    public static class AddAndClear {
        private final FusedQueue<Integer> queue = new FusedQueue<>(Context.empty());

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
            r.r2 = queue.takeDiscarded();
            r.r3 = queue.size();
        }
    }
}
