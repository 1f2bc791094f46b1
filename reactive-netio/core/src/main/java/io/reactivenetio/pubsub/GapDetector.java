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
    private final boolean merged;
    private final List<MissedReport> reports;
    private boolean numbered;
    private long run;
    private long next;

    /** If the messages are {@code merged} with others, they count when they leave the merge, which may lose some at an error. */
    GapDetector(Tags tags, boolean merged, List<MissedRule> rules) {
        this.merged = merged;
        this.reports = rules.stream().map(rule -> new MissedReport(tags, rule)).toList();
    }

    /** What the subscription hears on one connection. */
    final class Listener implements SubscriptionListener {
        private final EventLoop loop;
        private final ReceiveTally tally;
        private boolean told;

        Listener(EventLoop loop, ReceiveTally tally) {
            this.loop = loop;
            this.tally = tally;
        }

        /** Counts messages that have reached the subscription. */
        void received(long messages, long bytes) {
            next += messages;
            tally.countReceived(messages, bytes, loop.turnNanos());
        }

        @Override
        public void delivered(long messages, long bytes) {
            if (!merged) {
                received(messages, bytes);
            }
        }

        /**
         * If the run is another one, or the number is below the expected one, the publisher has begun anew. Then only what it
         * published since is known to be missed. A number that is told later on this connection leaves out what was dropped,
         * which is counted already.
         */
        @Override
        public void subscribed(long number, long inRun, long waiting) {
            if (told) {
                return;
            }
            told = true;
            long missed = !numbered ? 0 : inRun == run || run == 0 || inRun == 0 ? number - next : number;
            numbered = true;
            run = inRun;
            next = number;
            if (missed > 0) {
                tally.countMissed(missed);
                reports.forEach(report -> report.add(loop, 0, missed));
            }
        }

        @Override
        public void dropped(long n) {
            next += n;
            tally.countDropped(n);
            reports.forEach(report -> report.add(loop, n, 0));
        }

        @Override
        public void ended() {
            reports.forEach(MissedReport::ended);
        }
    }
}
