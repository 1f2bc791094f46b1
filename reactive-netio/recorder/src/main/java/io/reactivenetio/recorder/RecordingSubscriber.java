// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * One recording under way: takes events from upstream on any thread, has them written on the recorder's thread, and tells
 * downstream there what is safe. Upstream is asked for what has room in its share of the memory.
 */
final class RecordingSubscriber implements CoreSubscriber<SequencedEvent>, Subscription {
    private static final Logger LOG = LoggerFactory.getLogger(RecorderOptions.LOGGER);
    /** What a message takes in memory beside its payload. */
    private static final int OVERHEAD = 64;
    private static final int MOST_MESSAGES = 16_384;
    private static final int GROWTH = 8;
    private static final End COMPLETE = new End(null);

    /** How a recording ends: complete, or with an error. */
    private record End(@Nullable Throwable error) {
    }

    /** The recorder that this is one recording of. Its methods may be called on any thread. */
    interface Owner {
        /** Nanoseconds since 1970. */
        long now();

        int blockBytes();

        /** How many bytes a recording may have in memory. */
        long share();

        /** This has something for the recorder's thread to do. */
        void ready(RecordingSubscriber recording);

        void wake();

        /** Tells that {@code events} will not be written. */
        void unwritten(long events);

        /** These tags may be recorded by others. */
        void release(RecordingSubscriber recording);
    }

    private final Owner recorder;
    private final StreamEncoder.Stream stream;
    private final CoreSubscriber<? super Recorded> actual;
    private final EventQueue queue = new EventQueue();
    private final AtomicReference<@Nullable Subscription> upstream = new AtomicReference<>();
    private final AtomicLong demand = new AtomicLong();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private volatile boolean cancelled;
    private final AtomicReference<@Nullable End> end = new AtomicReference<>();

    // the producer's; the recorder's thread reads them behind the queue
    private volatile long offeredBytes;
    private long producedBytes;
    private int largest;
    private int sinceWake;
    private long bytesSinceWake;
    private volatile int wakeAfter = 1;

    // the recorder's
    private int window = 1;
    private long requested = 1;
    private volatile long takenBytes;
    private volatile long takenMessages;
    private long waitsSince;
    private boolean waits;
    private boolean unsafe;
    private @Nullable Position safe;
    private @Nullable Position told;
    private boolean over;

    RecordingSubscriber(Owner recorder, StreamEncoder.Stream stream, CoreSubscriber<? super Recorded> actual) {
        this.recorder = recorder;
        this.stream = stream;
        this.actual = actual;
    }

    StreamEncoder.Stream stream() {
        return stream;
    }

    @Override
    public Context currentContext() {
        return actual.currentContext();
    }

    // ---- upstream's signals

    @Override
    public void onSubscribe(Subscription s) {
        if (!upstream.compareAndSet(null, s)) {
            s.cancel();
        } else if (cancelled || end.get() != null) {
            s.cancel();
        } else {
            s.request(1);
        }
    }

    @Override
    public void onNext(SequencedEvent event) {
        if (cancelled || end.get() != null) {
            return;
        }
        int bytes = 0;
        if (event instanceof SequencedMessage message) {
            bytes = message.message().payload().remaining();
        }
        String problem = problem(event, bytes);
        if (problem != null) {
            cancelUpstream();
            onError(new IllegalArgumentException(problem));
            return;
        }
        queue.offer(event, recorder.now());
        int cost = bytes + OVERHEAD;
        largest = Math.max(largest, cost);
        producedBytes += cost;
        offeredBytes = producedBytes;
        sinceWake++;
        bytesSinceWake += cost;
        schedule();
        if (sinceWake >= wakeAfter || bytesSinceWake >= recorder.blockBytes()) {
            sinceWake = 0;
            bytesSinceWake = 0;
            recorder.wake();
        }
    }

    private @Nullable String problem(SequencedEvent event, int bytes) {
        if (!event.tags().equals(stream.tags())) {
            return "an event of " + event.tags() + " in a recording of " + stream.tags();
        }
        if (event instanceof SequencedMessage message) {
            TaggedMessage content = message.message();
            if (!stream.tags().contains(content.tag())) {
                return "a message with tag " + Long.toUnsignedString(content.tag()) + " in a recording of " + stream.tags();
            }
            if (bytes > Format.LARGEST) {
                return "a message of " + bytes + " bytes; the largest that can be recorded has " + Format.LARGEST;
            }
            if (message.sequence() < 0 || message.sequence() == Long.MAX_VALUE) {
                return "a message with number " + message.sequence();
            }
        }
        if (event instanceof Gap gap && gap.to() == Long.MAX_VALUE) {
            return "a gap to number " + gap.to(); // no message can follow
        }
        return event.run() == 0 ? "an event of run 0: " + event.getClass().getSimpleName() : null;
    }

    @Override
    public void onError(Throwable error) {
        end(new End(error));
    }

    @Override
    public void onComplete() {
        end(COMPLETE);
    }

    private void end(End how) {
        if (end.compareAndSet(null, how)) {
            schedule();
        }
    }

    // ---- downstream's signals

    @Override
    public void request(long n) {
        if (Operators.validate(n)) {
            demand.accumulateAndGet(n, Operators::addCap);
            schedule();
        }
    }

    /** What has come is still written. */
    @Override
    public void cancel() {
        cancelled = true;
        recorder.release(this);
        cancelUpstream();
        schedule();
    }

    private void cancelUpstream() {
        Subscription s = upstream.getAndSet(Operators.cancelledSubscription());
        if (s != null) {
            s.cancel();
        }
    }

    private void schedule() {
        if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
            recorder.ready(this);
        }
    }

    // ---- on the recorder's thread

    /** The recorder is closed, or has failed: what has come is written if it can be, and this ends. */
    void close(NetioRecordingException reason) {
        Subscription s = upstream.getAndSet(Operators.cancelledSubscription());
        if (s != null) {
            try {
                s.cancel();
            } catch (RuntimeException | Error e) { // a user's, which must not end the recordings of others
                LOG.warn("a source of {} failed to be cancelled", stream.tags(), e);
            }
        }
        end.compareAndSet(null, new End(reason.copy()));
    }

    /**
     * When this has to be written, by System.nanoTime: now if it ends or much waits, else when its first message has lingered.
     */
    long due(long now, long linger) {
        int size = queue.size();
        if (size == 0) {
            waits = false;
            return cancelled || end.get() != null || hasNews() ? now : Long.MAX_VALUE;
        }
        if (!waits) {
            waits = true;
            waitsSince = now;
        }
        boolean much = size >= (window + 1) / 2 || offeredBytes - takenBytes >= recorder.blockBytes();
        return much || cancelled || end.get() != null || hasNews() ? now : waitsSince + linger;
    }

    private boolean hasNews() {
        return safe != null && !safe.equals(told) && demand.get() > 0 && !cancelled;
    }

    /** Writes what has come until now. */
    void write(StreamEncoder encoder) {
        int size = queue.size();
        if (size == 0) {
            return;
        }
        waits = false;
        encoder.begin(stream);
        long bytes = takenBytes;
        for (int i = 0; i < size; i++) {
            SequencedEvent event = queue.take();
            bytes += OVERHEAD + (event instanceof SequencedMessage message ? message.message().payload().remaining() : 0);
            encoder.add(event, queue.takenTime());
        }
        encoder.flush();
        takenBytes = bytes;
        takenMessages = queue.taken();
        unsafe = true;
        askForMore(size);
    }

    private void askForMore(int written) {
        long room = recorder.share() / Math.max(1, largest);
        int grown = written * 2 >= window ? window * GROWTH : window;
        window = (int) Math.max(1, Math.min(Math.min(grown, MOST_MESSAGES), room));
        wakeAfter = (window + 1) / 2;
        long more = queue.taken() + window - requested;
        Subscription s = upstream.get();
        if (more > 0 && s != null && end.get() == null && !cancelled) {
            requested += more;
            try {
                s.request(more);
            } catch (RuntimeException | Error e) {
                onError(e);
            }
        }
    }

    /** Any thread. */
    boolean isCancelled() {
        return cancelled;
    }

    boolean hasEnded() {
        return cancelled || end.get() != null;
    }

    boolean isIdle() {
        return queue.size() == 0 && !unsafe;
    }

    boolean isUnsafe() {
        return unsafe;
    }

    /** What was written is as durable as it is to be. */
    void markSafe() {
        unsafe = false;
        Recovery.End written = stream.end();
        safe = written.run() == 0 ? null : new Position(written.run(), written.next() - 1);
    }

    /** Tells downstream what there is to tell. Returns whether this is over. */
    boolean tell(boolean closing) {
        if (over) {
            return true;
        }
        try {
            Position position = safe;
            if (hasNews() && position != null) {
                told = position;
                if (demand.get() != Long.MAX_VALUE) {
                    demand.decrementAndGet();
                }
                actual.onNext(new Recorded(stream.tags(), position));
            }
        } catch (RuntimeException | Error e) {
            LOG.warn("whoever is told what is recorded of {} has failed", stream.tags(), e);
            cancel();
        }
        return isOver(closing);
    }

    private boolean isOver(boolean closing) {
        End how = end.get();
        if (queue.size() > 0 || unsafe || how == null && !cancelled) {
            return false;
        }
        boolean toldAll = safe == null || safe.equals(told);
        if (!cancelled && !toldAll && !closing) {
            return false; // the last position waits for demand
        }
        finish(Objects.requireNonNullElse(how, COMPLETE));
        return true;
    }

    /** Ends this, whatever waits. */
    private void finish(End how) {
        if (over) {
            return;
        }
        over = true;
        recorder.release(this);
        if (cancelled) {
            return;
        }
        try {
            Throwable error = how.error;
            if (error == null) {
                actual.onComplete();
            } else {
                actual.onError(error);
            }
        } catch (RuntimeException | Error e) {
            LOG.warn("whoever is told what is recorded of {} has failed", stream.tags(), e);
        }
    }

    /** Fails this: nothing of what waits is written. */
    void fail(NetioRecordingException reason) {
        close(reason);
        while (queue.size() > 0) {
            queue.take();
        }
        recorder.unwritten(waitingMessages());
        takenMessages = queue.taken();
        takenBytes = offeredBytes;
        finish(new End(reason.copy()));
    }

    /** Lets go of the recorder's thread until something happens. Returns false if something has happened meanwhile. */
    boolean rest() {
        scheduled.set(false);
        boolean isEnding = hasEnded() && !over && !waitsForDemand();
        boolean busy = offeredBytes != takenBytes || unsafe || hasNews() || isEnding;
        return !busy || !scheduled.compareAndSet(false, true);
    }

    private boolean waitsForDemand() {
        return safe != null && !safe.equals(told) && !cancelled;
    }

    long waitingMessages() {
        return Math.max(0, queue.offered() - takenMessages);
    }

    long waitingBytes() {
        return Math.max(0, offeredBytes - takenBytes);
    }
}
