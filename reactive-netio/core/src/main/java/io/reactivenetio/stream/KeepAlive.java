// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.stream;

import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.NetioAbortedException;
import io.reactivenetio.transport.NetioException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Says something if nothing else is said for half of the interval that this side has promised, and gives the peer up when it has
 * been silent for three of its own. On the loop.
 */
final class KeepAlive implements Runnable {
    /** Silent intervals after which a peer is given up. */
    static final int MISSED = 3;

    private final EventLoop loop;
    private final long ownMillis;
    private final long patienceNanos;
    private final OutPages pages;
    private final Runnable ping;
    private final Consumer<NetioException> dead;
    private final long intervalMillis;
    private @Nullable DelayedTask task;
    private long pagesBefore;
    private boolean heard;
    private long heardNanos;
    private boolean closed;

    /** Intervals of 0 mean that none is promised. */
    KeepAlive(EventLoop loop, int ownMillis, int peerMillis, OutPages pages, Runnable ping, Consumer<NetioException> dead) {
        this.loop = loop;
        this.heardNanos = loop.nanoTime();
        this.ownMillis = ownMillis;
        this.patienceNanos = TimeUnit.MILLISECONDS.toNanos((long) MISSED * peerMillis);
        this.pages = pages;
        this.ping = ping;
        this.dead = dead;
        long shorter = Math.min(ownMillis == 0 ? Long.MAX_VALUE : ownMillis, peerMillis == 0 ? Long.MAX_VALUE : peerMillis);
        this.intervalMillis = shorter == Long.MAX_VALUE ? 0 : Math.max(1, shorter / 2);
        schedule();
    }

    /** Once per page: the clock is read only when it is looked at. */
    void heard() {
        heard = true;
    }

    private void schedule() {
        if (intervalMillis > 0 && !closed) {
            try {
                task = loop.schedule(this, intervalMillis, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException terminated) {
                closed = true;
            }
        }
    }

    @Override
    public void run() {
        if (closed) {
            return;
        }
        long now = loop.nanoTime();
        if (heard) {
            heard = false;
            heardNanos = now;
        } else if (patienceNanos > 0 && now - heardNanos > patienceNanos) {
            dead.accept(new NetioAbortedException("the peer has said nothing for "
                    + TimeUnit.NANOSECONDS.toMillis(now - heardNanos) + " ms", 0, null));
            return;
        }
        if (ownMillis > 0 && pages.pages() == pagesBefore) {
            ping.run();
        }
        pagesBefore = pages.pages();
        schedule();
    }

    void close() {
        closed = true;
        if (task != null) {
            task.cancel();
        }
    }
}
