// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.framing.stream.receive.SubscriptionListener;
import io.reactivenetio.loop.EventLoop;
import java.util.List;

/**
 * Counts where a subscription is in the published messages, from one connection to the next. So it knows how many it has
 * missed. All calls are on the loop of the present connection.
 */
final class GapDetector {
    private final List<MissedReport> reports;
    private boolean numbered;
    private long run;
    private long next;

    GapDetector(Tags tags, List<MissedRule> rules) {
        this.reports = rules.stream().map(rule -> new MissedReport(tags, rule)).toList();
    }

    /** What the subscription hears on one connection. */
    final class Listener implements SubscriptionListener {
        private final EventLoop loop;
        private final ReceiveTally tally;
        private boolean told;
        /** Where this connection is in the run, with nothing left out: behind what was delivered. */
        private long delivered;
        /** How many messages were left out between those, and how many the publisher said it dropped: these are among them. */
        private long leftOut;
        private long dropped;

        Listener(EventLoop loop, ReceiveTally tally) {
            this.loop = loop;
            this.tally = tally;
        }

        @Override
        public void delivered(long messages, long bytes) {
            next += messages;
            delivered += messages;
            tally.countReceived(messages, bytes, loop.turnNanos());
        }

        /**
         * If the run is another one, or the number is below the expected one, the publisher has begun anew. Then only what it
         * published since is known to be missed. A number that is told later on this connection leaves some out: what was
         * dropped, which is counted, or what is not for this subscription, which begins with messages from before it.
         */
        @Override
        public void subscribed(long number, long inRun, long waiting) {
            if (told) {
                long more = number - delivered - waiting - leftOut;
                leftOut += inRun == run && more > 0 ? more : 0;
                next = delivered + Math.max(leftOut, dropped);
                return;
            }
            told = true;
            long missed = !numbered ? 0 : inRun == run || run == 0 || inRun == 0 ? number - next : number;
            numbered = true;
            run = inRun;
            next = number;
            delivered = number;
            if (missed > 0) {
                tally.countMissed(missed);
                reports.forEach(report -> report.add(loop, 0, missed));
            }
        }

        @Override
        public void dropped(long n) {
            dropped += n;
            next = told ? delivered + Math.max(leftOut, dropped) : next + n;
            tally.countDropped(n);
            reports.forEach(report -> report.add(loop, n, 0));
        }

        @Override
        public void ended() {
            reports.forEach(MissedReport::ended);
        }
    }
}
