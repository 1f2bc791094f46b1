// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.reactivenetio.api.Lease;
import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.counters.ConnectionCounters;
import io.reactivenetio.receive.SharedLoop;
import io.reactivenetio.receive.SingleMessage;
import java.nio.ByteOrder;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** A lease that two threads lay hands on at the same time. Its receive buffer goes back once, whatever they do. */
public class LeaseStress {

    /** A lease on a message, alone in its window of one. */
    static class OneLease {
        final ReleasedBuffer buffer = new ReleasedBuffer();
        final ConnectionCounters counters = new ConnectionCounters();
        final LeaseWindow window = new LeaseWindow(SharedLoop.LOOP, counters, LeasePolicy.WAIT, 2, "stress",
                ByteOrder.BIG_ENDIAN, this::resumed);
        final SingleMessage next = new SingleMessage().begin(new ReleasedBuffer());
        final DefaultLease lease = leased(new SingleMessage().begin(buffer));
        volatile boolean resumed;

        private DefaultLease leased(SingleMessage message) {
            DefaultLease made = (DefaultLease) window.lease(message, "stress");
            message.settle();
            return made;
        }

        private void resumed() {
            resumed = true;
        }

        int release() {
            try {
                lease.release();
                return 1;
            } catch (IllegalStateException twice) {
                return 0;
            }
        }

        /** Also if the loop is yet to do so. */
        int resumedInTheEnd() {
            SharedLoop.settle();
            return resumed ? 1 : 0;
        }

        /** References and leases that are left. */
        int left() {
            return Math.abs(buffer.references()) + Math.abs(counters.leasedBuffers());
        }
    }

    /** The owner releases, an operator that is cancelled discards. */
    @JCStressTest
    @Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "the owner was first")
    @Outcome(id = "0, 1, 0", expect = ACCEPTABLE, desc = "the cancel was first: the owner is told")
    @Outcome(expect = FORBIDDEN, desc = "given back twice, or not at all")
    @State
    public static class ReleaseAndCancel extends OneLease {
        @Actor
        public void owner(III_Result r) {
            r.r1 = release();
        }

        @Actor
        public void cancelled(III_Result r) {
            r.r2 = lease.giveBackOnce() ? 1 : 0;
        }

        @Arbiter
        public void after(III_Result r) {
            r.r3 = left();
        }
    }

    /** Another owner is wanted for what is just being given back. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "a second lease, which was given back, too")
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "too late")
    @Outcome(expect = FORBIDDEN, desc = "a lease on a message that is gone, or one that never goes")
    @State
    public static class RetainAndRelease extends OneLease {
        @Actor
        public void second(II_Result r) {
            try {
                Lease other = lease.retain();
                r.r1 = buffer.references() == 1 ? 1 : 2;
                other.release();
            } catch (IllegalStateException gone) {
                r.r1 = 0;
            }
        }

        @Actor
        public void owner() {
            lease.release();
        }

        @Arbiter
        public void after(II_Result r) {
            r.r2 = left();
        }
    }

    /** A message waits for a lease while the last one is given back: it must not wait for ever. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "admitted at once")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "told to wait, and resumed")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "admitted, and resumed for nothing")
    @Outcome(expect = FORBIDDEN, desc = "waits for ever")
    @State
    public static class AdmitAndRelease extends OneLease {
        @Actor
        public void message(II_Result r) {
            r.r1 = window.admits(next, "stress") ? 1 : 0;
        }

        @Actor
        public void owner() {
            lease.release();
        }

        @Arbiter
        public void after(II_Result r) {
            r.r2 = resumedInTheEnd();
        }
    }

    /** A message is admitted while another lease is released, and another stream's message waits already. */
    @JCStressTest
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "told to wait, and both resumed")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "admitted, and the other resumed")
    @Outcome(expect = FORBIDDEN, desc = "the other waits for ever")
    @State
    public static class AdmitWhileAnotherWaits extends OneLease {
        private final boolean another = window.admits(next, "stress");

        @Actor
        public void message(II_Result r) {
            r.r1 = window.admits(next, "stress") || another ? 1 : 0;
        }

        @Actor
        public void owner() {
            lease.release();
        }

        @Arbiter
        public void after(II_Result r) {
            r.r2 = resumedInTheEnd();
        }
    }
}
