// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.task;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.reactivenetio.ffm.LibC;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** The inbox between threads that submit and a loop that runs, sleeps, or ends. */
public class InboxStress {
    /** One eventfd for all: what matters here is whether it is written to. */
    private static final int EVENT = LibC.eventfd(0, LibC.EFD_CLOEXEC | LibC.EFD_NONBLOCK);

    /** An inbox with its wake-up, and no loop around. */
    static class OneInbox {
        final LoopCounters counters = new LoopCounters();
        final WakeUp wakeUp = new WakeUp(EVENT, counters, null);
        final Inbox inbox = new Inbox(LoopClock.KERNEL, wakeUp, new Failures("stress", counters), counters);
        int runs;
    }

    /** A task that is accepted is run, although the loop ends. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "accepted, and run")
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "rejected, and not run")
    @Outcome(expect = FORBIDDEN, desc = "accepted and forgotten, or rejected and run")
    @State
    public static class OfferAndClose extends OneInbox {
        @Actor
        public void submits(II_Result r) {
            r.r1 = inbox.offer(() -> runs++) ? 1 : 0;
        }

        @Actor
        public void loopEnds(II_Result r) {
            inbox.close();
            inbox.drain();
            r.r2 = runs;
        }
    }

    /** A loop that goes to sleep at the moment in which a task comes. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "the loop saw the task, and nobody woke it")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "the loop saw the task, and was woken for nothing")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "asleep, and woken")
    @Outcome(expect = FORBIDDEN, desc = "asleep with a task")
    @State
    public static class OfferAndSleep extends OneInbox {
        public OfferAndSleep() {
            wakeUp.awake();
        }

        @Actor
        public void submits() {
            inbox.offer(() -> runs++);
        }

        @Actor
        public void loopSleeps(II_Result r) {
            wakeUp.sleep();
            r.r1 = inbox.isEmpty() ? 1 : 0;
        }

        @Arbiter
        public void after(II_Result r) {
            r.r2 = (int) counters.wakeUps();
        }
    }

    /** What one thread submits is run in its order, each once, whenever the loop looks. */
    @JCStressTest
    @Outcome(id = "12", expect = ACCEPTABLE, desc = "in order")
    @Outcome(expect = FORBIDDEN, desc = "out of order, lost or run twice")
    @State
    public static class OfferAndRun extends OneInbox {
        @Actor
        public void submits() {
            inbox.offer(() -> runs = runs * 10 + 1);
            inbox.offer(() -> runs = runs * 10 + 2);
        }

        @Actor
        public void loopRuns() {
            inbox.run(10);
        }

        @Arbiter
        public void after(I_Result r) {
            inbox.run(10);
            r.r1 = runs;
        }
    }

    /** Two threads submit. */
    @JCStressTest
    @Outcome(id = "1, 1, 2", expect = ACCEPTABLE, desc = "both were run")
    @Outcome(expect = FORBIDDEN, desc = "one was lost")
    @State
    public static class OfferAndOffer extends OneInbox {
        @Actor
        public void one(III_Result r) {
            r.r1 = inbox.offer(() -> runs++) ? 1 : 0;
        }

        @Actor
        public void other(III_Result r) {
            r.r2 = inbox.offer(() -> runs++) ? 1 : 0;
        }

        @Arbiter
        public void after(III_Result r) {
            inbox.run(10);
            r.r3 = runs;
        }
    }
}
