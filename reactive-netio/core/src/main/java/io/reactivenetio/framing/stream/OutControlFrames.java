// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.send.page.DeliveryListener;
import io.reactivenetio.wire.FrameWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * The control frames about a stream that the peer receives: the number of its first message, how many messages were dropped, and
 * the end. Those who wait for the peer to know the end wait here. On the loop.
 */
final class OutControlFrames implements PageScheduler.Control {
    private static final int MOST_AT_FIRST = 16;

    private final int stream;
    private final PageScheduler pages;
    private final PingTracker pings;
    private final Runnable numberWritten;
    private final Runnable endWritten;
    private final List<DeliveryListener> whenEnded = new ArrayList<>();
    /** How many may wait here before it is looked whether they still do. */
    private int most = MOST_AT_FIRST;
    private long sent;
    private boolean numberDue;
    private boolean numbered;
    private long number;
    private long run;
    private long droppedDue;
    private int waiting;
    /** How many of those that may wait the peer is still to be told; 0 if nothing is due to be said about them. */
    private int capacityDue;
    private boolean ending;
    private int endCode;
    private String endText = "";
    private boolean ended;
    private boolean queued;

    /** {@code numberWritten} and {@code endWritten} are called when that frame is in a page. */
    OutControlFrames(int stream, PageScheduler pages, PingTracker pings, Runnable numberWritten, Runnable endWritten) {
        this.stream = stream;
        this.pages = pages;
        this.pings = pings;
        this.numberWritten = numberWritten;
        this.endWritten = endWritten;
    }

    /** Counts {@code messages} that are in pages. The frame that completes the stream says how many there were in all. */
    void countSent(int messages) {
        sent += messages;
    }

    /**
     * Says that the next message has the number {@code next} in {@code inRun}, or in a run that is not said if that is 0. No
     * further message may be in a page before the frame that says so.
     */
    void number(long next, long inRun) {
        number = next;
        run = inRun;
        numberDue = true;
        queue();
    }

    /** Whether the frame with the number is still to be written. */
    boolean isNumberDue() {
        return numberDue;
    }

    void dropped(long n) {
        if (!isEnding()) {
            droppedDue += n;
            queue();
        }
    }

    /** How many messages were dropped of which the peer is still to be told. */
    long droppedDue() {
        return droppedDue;
    }

    /** Notes that so many of them are told in a page of data. */
    void droppedWritten(long n) {
        droppedDue -= n;
    }

    void queued(int now, int capacity) {
        if (!isEnding()) {
            waiting = now;
            capacityDue = capacity;
            queue();
        }
    }

    /** Ends the stream with a COMPLETE, because every message is in a page. */
    void complete() {
        ending = true;
        queue();
    }

    /** Ends the stream with an ERROR. The caller has made sure that it is not ending already. */
    void fail(int code, String text) {
        ending = true;
        endCode = code;
        endText = text;
        queue();
    }

    /** Notes that the connection is over, and nothing more can be written. */
    void close() {
        ended = true;
    }

    /** Whether the stream ends: the frame that says so may be written or not. */
    boolean isEnding() {
        return ending || ended;
    }

    /** Whether that frame is written, or never will be. */
    boolean isEnded() {
        return ended;
    }

    /** The code of the ERROR that ends the stream, or 0. */
    int endCode() {
        return endCode;
    }

    /** Calls back when the peer knows that the stream has ended, however that was; never, if it never will. */
    void whenKnown(DeliveryListener listener) {
        if (ended) {
            pings.await(listener);
            return;
        }
        if (whenEnded.size() >= most) { // of those that were cancelled there is no end as long as the peer says nothing
            whenEnded.removeIf(waiting -> !waiting.isAwaited());
            most = Math.max(MOST_AT_FIRST, 2 * whenEnded.size());
        }
        whenEnded.add(listener);
    }

    /** Whether somebody waits for the peer to know of the end. */
    boolean isAwaited() {
        return !whenEnded.isEmpty();
    }

    private void queue() {
        if (!queued) {
            queued = true;
            pages.add(this);
        }
    }

    @Override
    public boolean write(FrameWriter writer) {
        if (!ended) {
            if (!numbered && !writeNumber(writer) || droppedDue > 0 && !writer.dropped(stream, droppedDue)) {
                return false;
            }
            droppedDue = 0;
            if (!writeNumber(writer)) { // behind that, for it may leave out the ones that were dropped
                return false;
            }
            if (capacityDue > 0 && !writer.queued(stream, waiting, capacityDue)) {
                return false;
            }
            capacityDue = 0;
            if (ending && !writeEnd(writer)) {
                return false;
            }
        }
        queued = false;
        return true;
    }

    /** Writes the number if it is due. Returns false if it does not fit. */
    private boolean writeNumber(FrameWriter writer) {
        if (numberDue) {
            if (!writer.subscribed(stream, number, run)) {
                return false;
            }
            numberDue = false;
            numbered = true;
            numberWritten.run();
        }
        return true;
    }

    private boolean writeEnd(FrameWriter writer) {
        boolean complete = endCode == 0;
        if (!(complete ? writer.complete(stream, sent) : writer.error(stream, endCode, endText))) {
            return false;
        }
        ended = true;
        endWritten.run();
        whenEnded.forEach(pings::await);
        whenEnded.clear();
        return true;
    }
}
