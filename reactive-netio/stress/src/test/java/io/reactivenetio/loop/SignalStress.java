// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.reactivenetio.loop.thread.Gate;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Signals that are fired while they, or their loop, end. */
public class SignalStress {

    /** The loop terminates while one of its signals is fired. */
    @JCStressTest
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "too late, or lost with the loop")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "one callback")
    @Outcome(expect = FORBIDDEN, desc = "several callbacks for one fire, or a loop that does not end")
    @State
    public static class FireAndTerminate {
        private final EventLoop loop = EventLoop.create("stress");
        private int calls;
        private final Signal signal = loop.openSignal(this, state -> state.calls++);

        @Actor
        public void fires() {
            signal.fire();
        }

        @Actor
        public void terminates() {
            loop.poll();
            loop.poll();
            loop.close();
        }

        @Arbiter
        public void after(II_Result r) {
            r.r1 = calls;
            r.r2 = loop.isTerminated() && signal.isClosed() ? 1 : 0;
        }
    }

    /** Who uses a descriptor, and who closes it: the last one out does, so that no number is used that is another's by now. */
    @JCStressTest
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "used, and closed by its owner")
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "closed by the user, who was the last to leave")
    @Outcome(id = "-1, 1", expect = ACCEPTABLE, desc = "too late to be used")
    @Outcome(expect = FORBIDDEN, desc = "closed twice, never, or in use")
    @State
    public static class EnterAndClose {
        private final Gate gate = new Gate();

        public EnterAndClose() {
            gate.enter(); // the owner
        }

        @Actor
        public void user(II_Result r) {
            r.r1 = gate.enter() ? gate.exit() ? 1 : 0 : -1;
        }

        @Actor
        public void owner(II_Result r) {
            r.r2 = gate.close() && gate.exit() ? 1 : 0;
        }
    }
}
