// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.api.Tags;
import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.framing.stream.SubscriptionListener;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.backend.LogBudget;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts where a subscription is in the published messages, from one connection to the next. So it knows how many it has
 * missed, and whether the source has begun anew. All calls are on the loop of the present connection.
 */
final class GapDetector {
    /** Writes under the name of the class that users know. */
    private static final Logger LOG = LoggerFactory.getLogger("io.reactivenetio.pubsub.NetioSubscriber");

    private static final LogBudget WARNINGS = LogBudget.of(LOG.getName());

    private final Tags tags;
    private final SubscriberHooks hooks;
    private final List<MissedReport> reports;
    /** How many messages were received since somebody asked. */
    private long received;
    private boolean numbered;
    private boolean toldSlow;
    /** Whether it failed, and is tried again; whether a line says so. */
    private boolean retrying;
    private boolean toldRetrying;
    private long run;
    private long next;

    GapDetector(Tags tags, SubscriberHooks hooks) {
        this.tags = tags;
        this.hooks = hooks;
        this.reports = hooks.missed().stream().map(rule -> new MissedReport(tags, rule)).toList();
    }

    /** Begins behind {@code last}, and not with what comes. */
    void begin(Position last) {
        numbered = true;
        run = last.run();
        next = last.sequence() + 1;
    }

    /** Says, with the first failure of several, why the subscription is tried again. Before it is, on the thread of that. */
    void retried(Throwable reason) {
        if (!retrying) {
            retrying = true;
            toldRetrying = WARNINGS.hasWarned("the subscription to {} has failed, and is tried again, until it succeeds or the"
                    + " Retry gives up: {}", tags, UserCode.text(reason));
        }
    }

    private void succeeded() {
        retrying = false;
        if (toldRetrying) {
            toldRetrying = false;
            LOG.info("the subscription to {} is back", tags);
        }
    }

    /** How many messages were received since this was asked last. After the end of a stream, and before that of the next. */
    long takeReceived() {
        long messages = received;
        received = 0;
        return messages;
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
        /** How many of those that were left out are from before the subscription, or were accounted for on another connection. */
        private long before;
        /** The number below which nothing is missing any more when this connection begins; known unless it is the first. */
        private long expected = Long.MAX_VALUE;
        private int waiting;

        Listener(EventLoop loop, ReceiveTally tally) {
            this.loop = loop;
            this.tally = tally;
        }

        @Override
        public void delivered(long messages, long bytes) {
            if (retrying) {
                succeeded();
            }
            next += messages;
            received += messages;
            delivered += messages;
            tally.countReceived(messages, bytes, loop.turnNanos());
        }

        /**
         * If the run is another one, or the number is below the expected one in a run that is not said, the source has begun
         * anew. Then only what it published since is known to be missed. A connection may begin with messages from before it,
         * which a publisher retains. A number that is told later leaves some out: what was dropped, of which the publisher tells,
         * or what is between those messages and the others.
         */
        @Override
        public void subscribed(long number, long inRun, long waitingHere) {
            if (retrying) {
                succeeded();
            }
            if (told) {
                long from = delivered + waitingHere + leftOut;
                if (inRun == run && number > from) {
                    leftOut(from, number);
                }
                goOn();
                return;
            }
            told = true;
            boolean sameRun = inRun == run || run == 0 || inRun == 0;
            boolean anew = numbered && (!sameRun || number < next && (run == 0 || inRun == 0));
            long missed = !numbered ? 0 : sameRun ? number - next : number;
            long former = run;
            long last = next - 1;
            if (numbered) {
                expected = anew ? 0 : next;
            }
            numbered = true;
            run = inRun;
            next = number;
            delivered = number;
            if (anew) {
                begunAnew(former, last, number);
            }
            if (missed > 0) {
                tally.countMissed(missed);
                reports.forEach(report -> report.add(loop, 0, missed));
            }
        }

        /**
         * Notes that messages were left out. Who begins here does not miss those from before it. They are the ones of which the
         * publisher has not said that it dropped them, since it says that before it leaves them out.
         */
        private void leftOut(long from, long to) {
            leftOut += to - from;
            if (expected == Long.MAX_VALUE) {
                before = Math.max(before, leftOut - dropped);
            } else {
                before += Math.max(0, Math.min(to, expected) - from);
            }
        }

        private void goOn() {
            next = delivered + Math.max(leftOut, before + dropped);
        }

        private void begunAnew(long former, long last, long number) {
            tally.countRunChange();
            LOG.warn("the source of {} has begun anew: how many messages it published before that, after the last one that came,"
                    + " nobody knows; it has published {} since", tags, number);
            if (former != 0 && run != 0) {
                hooks.runChange().accept(new RunChange(tags, new Position(former, last), run));
            }
        }

        @Override
        public void dropped(long n) {
            dropped += n;
            if (told) {
                goOn();
            } else {
                next += n;
            }
            tally.countDropped(n);
            reports.forEach(report -> report.add(loop, n, 0));
        }

        @Override
        public void queued(int now, int capacity) {
            tally.slow(now > 0 ? 1 : 0, waiting > 0 ? 1 : 0, now - waiting);
            waiting = now;
            if (now > 0 && !toldSlow) {
                toldSlow = true; // once for each subscription: the statistics and doOnSlow tell the rest
                LOG.info("the subscription to {} is slow: {} messages wait for it at the publisher, of {} that may", tags, now,
                        capacity);
            }
            hooks.slow().accept(new Slow(tags, now, capacity));
        }

        /** What was left out, and not said to be dropped, never will be. */
        @Override
        public void ended() {
            long lost = leftOut - before - dropped;
            if (lost > 0) {
                before += lost;
                tally.countMissed(lost);
                reports.forEach(report -> report.add(loop, 0, lost));
            }
            tally.slow(0, waiting > 0 ? 1 : 0, -waiting);
            waiting = 0;
            reports.forEach(MissedReport::ended);
        }
    }
}
