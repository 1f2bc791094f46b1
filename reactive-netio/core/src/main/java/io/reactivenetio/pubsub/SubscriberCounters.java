// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.lifecycle.DefaultSharedConnection;
import io.reactivenetio.loop.EventLoop;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a subscriber counts: a tally for each loop that its connections are on, so that each has one writer. Tallies of loops that
 * have terminated become one, which no thread writes any more. Any thread.
 */
final class SubscriberCounters {
    private final DefaultSharedConnection shared;
    // guarded by this object, which is locked for a moment: when a stream begins, and when somebody asks
    private final Map<EventLoop, ReceiveTally> tallies = new HashMap<>();
    private final ReceiveTally past = new ReceiveTally();

    SubscriberCounters(DefaultSharedConnection shared) {
        this.shared = shared;
    }

    /** The tally that only {@code loop} may write. */
    synchronized ReceiveTally on(EventLoop loop) {
        ReceiveTally known = tallies.get(loop);
        if (known != null) {
            return known;
        }
        Iterator<Map.Entry<EventLoop, ReceiveTally>> each = tallies.entrySet().iterator();
        while (each.hasNext()) {
            Map.Entry<EventLoop, ReceiveTally> entry = each.next();
            if (entry.getKey().isTerminated()) {
                fold(entry.getValue());
                each.remove();
            }
        }
        ReceiveTally made = new ReceiveTally();
        tallies.put(loop, made);
        return made;
    }

    private void fold(ReceiveTally ended) {
        if (ended.messages() > 0) {
            boolean later = past.messages() == 0 || ended.lastNanos() - past.lastNanos() > 0;
            past.countReceived(ended.messages(), ended.bytes(), later ? ended.lastNanos() : past.lastNanos());
        }
        past.countDropped(ended.dropped());
        past.countMissed(ended.missed());
        past.countRunChanges(ended.runChanges());
    }

    SubscriberStatistics statistics(boolean connected) {
        DefaultSharedConnection.Figures connecting = shared.figures();
        synchronized (this) {
            long received = past.messages();
            long bytes = past.bytes();
            long dropped = past.dropped();
            long missed = past.missed();
            long runChanges = past.runChanges();
            long slow = 0;
            long waiting = 0;
            Duration last = received == 0 ? null : age(past, System.nanoTime());
            for (Map.Entry<EventLoop, ReceiveTally> entry : tallies.entrySet()) {
                ReceiveTally tally = entry.getValue();
                long messages = tally.messages();
                received += messages;
                bytes += tally.bytes();
                dropped += tally.dropped();
                missed += tally.missed();
                runChanges += tally.runChanges();
                slow += tally.slow();
                waiting += tally.waiting();
                last = messages == 0 ? last : shorter(last, age(tally, entry.getKey().nanoTime()));
            }
            return new SubscriberStatistics(received, bytes, dropped, missed, connecting.connections(),
                    connecting.reconnectAttempts(), connecting.reconnects(), connecting.users(), connected, last, runChanges,
                    (int) slow, waiting);
        }
    }

    private static Duration age(ReceiveTally tally, long now) {
        return Duration.ofNanos(Math.max(0, now - tally.lastNanos()));
    }

    private static Duration shorter(@Nullable Duration known, Duration other) {
        return known != null && known.compareTo(other) < 0 ? known : other;
    }
}
