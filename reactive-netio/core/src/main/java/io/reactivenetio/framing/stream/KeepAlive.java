// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends a PING if nothing else was sent for half of the interval that this side has promised, and gives the peer up when it has
 * been silent for three intervals: those that it has promised, or those of this side if they are shorter. A peer that has
 * promised less is sent a PING while it is silent, which it answers at once. On the loop.
 *
 * <p>A page that has arrived in part is no silence, where the backend can tell: a slow link takes longer for a page than the peer
 * may be silent.
 *
 * <p>Silence is counted in looks, not by the clock. A loop that stood still has read nothing meanwhile, but looks only once after
 * it, and reads what has arrived before its next look.
 */
final class KeepAlive implements Runnable {
    /** The number of silent intervals after which a peer is given up. */
    public static final int MISSED = 3;

    private final EventLoop loop;
    private final long ownMillis;
    private final long patienceMillis;
    private final PageScheduler pages;
    private final Runnable ping;
    private final Consumer<NetioException> dead;
    private final IntSupplier arriving;
    private final long intervalMillis;
    private @Nullable DelayedTask task;
    private long pagesBefore;
    private boolean heard;
    private int inPart;
    private long silentMillis;
    private boolean closed;

    /**
     * An interval of 0 means that none is promised. {@code arriving} tells how many bytes of a page have arrived that is not
     * whole.
     */
    KeepAlive(EventLoop loop, int ownMillis, int peerMillis, PageScheduler pages, IntSupplier arriving, Runnable ping,
            Consumer<NetioException> dead) {
        this.loop = loop;
        this.ownMillis = ownMillis;
        this.pages = pages;
        this.arriving = arriving;
        this.ping = ping;
        this.dead = dead;
        long shorter = Math.min(ownMillis == 0 ? Long.MAX_VALUE : ownMillis, peerMillis == 0 ? Long.MAX_VALUE : peerMillis);
        this.intervalMillis = shorter == Long.MAX_VALUE ? 0 : Math.max(1, shorter / 2);
        this.patienceMillis = shorter == Long.MAX_VALUE ? 0 : MISSED * shorter;
        schedule();
    }

    /** Notes that a page has arrived. */
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
        hearPart();
        silentMillis = heard ? 0 : silentMillis + intervalMillis;
        heard = false;
        if (patienceMillis > 0 && silentMillis >= patienceMillis) {
            loop.atEndOfTurn(this::judge); // connections are read after the delays of a turn
        } else {
            goOn();
        }
    }

    /** Notes whether more of a page has arrived since this was last asked. */
    private void hearPart() {
        int now = arriving.getAsInt();
        heard |= now != 0 && now != inPart;
        inPart = now;
    }

    private void judge() {
        if (closed) {
            return;
        }
        hearPart();
        if (heard) {
            goOn();
        } else {
            String silence = "the peer has said nothing for " + silentMillis + " ms";
            dead.accept(new NetioAbortedException(silence, 0, new TimeoutException(silence)));
        }
    }

    private void goOn() {
        if (ownMillis > 0 && (pages.pages() == pagesBefore || silentMillis > 0)) {
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
