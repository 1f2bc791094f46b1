// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.api.Tags;
import io.reactivenetio.recorder.NetioRecordingException.Reason;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/** A reader: reads on the Scheduler while there is demand, a slice at a time, and waits without a thread. */
final class CursorSubscription implements Subscription, Runnable {
    /** How many events are taken until others have a turn on the thread. */
    private static final int SLICE = 1024;

    private enum State { GOES_ON, YIELDS, WAITS }

    private final NetioRecording recording;
    private final CoreSubscriber<? super RecordedEvent> actual;
    private final Tags tags;
    private final RecordingPosition from;
    private final boolean follow;
    private final boolean last;
    private final ReplayClock.@Nullable Line pace;
    private final AtomicLong demand = new AtomicLong();
    private final AtomicInteger work = new AtomicInteger();
    /** Whether this runs now, or was abandoned. */
    private final AtomicBoolean running = new AtomicBoolean();
    private volatile boolean cancelled;
    private volatile @Nullable Throwable badRequest;
    private volatile boolean rang;

    // of whoever runs
    private @Nullable Cursor cursor;
    private @Nullable RecordedEvent held;
    private boolean timed;
    /** When the timer rings, by System.nanoTime. */
    private long rings;
    private boolean over;

    CursorSubscription(NetioRecording recording, CoreSubscriber<? super RecordedEvent> actual, Tags tags, RecordingPosition from,
            boolean follow, @Nullable ReplayClock clock, boolean last) {
        this.recording = recording;
        this.actual = actual;
        this.tags = tags;
        this.from = from;
        this.follow = follow;
        this.last = last;
        this.pace = clock == null ? null : clock.line(this::schedule);
    }

    Tags tags() {
        return tags;
    }

    @Override
    public void request(long n) {
        if (n <= 0) {
            badRequest = new IllegalArgumentException("§3.9: request(" + n + "); it must be more than 0");
        } else {
            demand.accumulateAndGet(n, Operators::addCap);
        }
        schedule();
    }

    @Override
    public void cancel() {
        cancelled = true;
        schedule();
    }

    /** Has this run, or run once more. Any thread. */
    void schedule() {
        if (work.getAndIncrement() == 0) {
            submit();
        }
    }

    private void submit() {
        try {
            recording.scheduler().schedule(this);
        } catch (RejectedExecutionException e) {
            abandon(e);
        }
    }

    /**
     * Ends this, unless it runs now: its Scheduler runs nothing any more, and may have forgotten that it was to run this. Any
     * thread.
     */
    void abandon(@Nullable RejectedExecutionException refusal) {
        if (!running.compareAndSet(false, true)) {
            return;
        }
        if (cancelled) {
            over();
        } else {
            fail(gone(refusal));
        }
    }

    private NetioRecordingException gone(@Nullable Throwable cause) {
        return new NetioRecordingException(Reason.CLOSED, "the Scheduler of " + recording + " was disposed of", cause);
    }

    @Override
    public void run() {
        if (!running.compareAndSet(false, true)) {
            return; // it was abandoned
        }
        int missed = work.get();
        do {
            State state = State.GOES_ON;
            while (!over && state == State.GOES_ON) {
                try {
                    state = step();
                } catch (IOException e) { // a Scheduler that is disposed of interrupts its threads
                    fail(recording.scheduler().isDisposed() ? gone(e) : NetioRecording.disk(recording.directory(), e));
                } catch (RuntimeException | Error e) {
                    fail(e);
                }
            }
            boolean yields = state == State.YIELDS && !over;
            running.set(false); // first: who finds no work any more may submit this again
            if (yields) {
                submit();
                return;
            }
            missed = work.addAndGet(-missed);
        } while (missed != 0 && running.compareAndSet(false, true));
    }

    /** Emits a slice. WAITS if there is nothing to do until somebody schedules this again. */
    private State step() throws IOException {
        if (hasEnded()) {
            return State.WAITS;
        }
        Cursor open = cursor;
        if (open == null) {
            open = recording.cursor(tags, from, last);
            cursor = open;
        }
        long wanted = demand.get();
        long emitted = 0;
        while (emitted < wanted && emitted < SLICE && !hasEnded()) {
            RecordedEvent event = held != null ? held : open.next();
            if (event == null) {
                produced(emitted);
                return atEnd(open);
            }
            if (pace != null && !isDue(pace, event)) {
                produced(emitted);
                return State.WAITS;
            }
            held = null;
            actual.onNext(event);
            emitted++;
        }
        produced(emitted);
        if (over) {
            return State.WAITS;
        }
        if (emitted == SLICE) {
            return State.YIELDS;
        }
        if (demand.get() > 0) {
            return State.GOES_ON;
        }
        return emitted > 0 && !follow && held == null ? completeAtEnd(open) : State.WAITS;
    }

    private void produced(long emitted) {
        if (emitted > 0 && demand.get() != Long.MAX_VALUE) {
            demand.addAndGet(-emitted);
        }
    }

    /** Whether the event's time has come. If not, this is scheduled for then, or for when it has to be asked again. */
    private boolean isDue(ReplayClock.Line line, RecordedEvent event) {
        long nanos = line.untilDue(event.time());
        if (nanos <= 0) {
            return true;
        }
        held = event;
        long then = System.nanoTime() + nanos;
        if (rang || !timed || then - rings < 0) {
            timed = true;
            rang = false;
            rings = then;
            recording.scheduler().schedule(() -> {
                rang = true;
                schedule();
            }, nanos, TimeUnit.NANOSECONDS);
        }
        return false;
    }

    /** The subscriber has asked for no more, and would like to know if there is none. */
    private State completeAtEnd(Cursor open) throws IOException {
        held = open.next();
        return held == null ? atEnd(open) : State.WAITS;
    }

    private State atEnd(Cursor open) throws IOException {
        if (recording.hasMore(open.place())) {
            return demand.get() > 0 ? State.GOES_ON : State.WAITS;
        }
        open.release();
        if (!follow) {
            over();
            actual.onComplete();
            return State.WAITS;
        }
        return recording.await(this, open.place()) ? State.WAITS : State.GOES_ON;
    }

    private boolean hasEnded() {
        if (over) {
            return true;
        }
        if (cancelled) {
            over();
        } else if (badRequest != null) {
            fail(badRequest);
        } else if (recording.isClosed()) {
            fail(new NetioRecordingException(Reason.CLOSED, recording + " is closed"));
        }
        return over;
    }

    private void over() {
        over = true;
        held = null;
        if (pace != null) {
            pace.close();
        }
        Cursor open = cursor;
        if (open != null) {
            open.release();
        }
        recording.left(this);
    }

    private void fail(Throwable error) {
        if (!over) {
            over();
            actual.onError(error);
        }
    }
}
