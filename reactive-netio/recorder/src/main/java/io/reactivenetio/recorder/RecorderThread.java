// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.recorder.NetioRecordingException.Reason;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread that writes for all recordings of a recorder, and tells them what is safe. */
final class RecorderThread implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(RecorderOptions.LOGGER);
    /** How often it looks for segments that are too old, and whether its files are still there. */
    private static final long EXPIRY = DirectoryLock.BEAT;
    /** How long it waits before it looks for room again. */
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(200);

    /** The recorder whose recordings are written. All methods are called on this thread. */
    interface Owner {
        /** The recordings that are under way. */
        List<RecordingSubscriber> claimed();

        /** Takes no more recordings, and returns those that are under way. */
        List<RecordingSubscriber> over(NetioRecordingException reason);

        /**
         * Shows that the recorder lives, and locks the directory anew if its lock was deleted.
         *
         * @throws NetioRecordingException IN_USE if another recorder came first; DISK if the directory was deleted
         */
        void keepLock();

        /** The files are closed. */
        void terminated();
    }

    private final Owner recorder;
    private final RecorderOptions options;
    private final long linger;
    private final Queue<RecordingSubscriber> ready = new ConcurrentLinkedQueue<>();
    private final List<RecordingSubscriber> active = new ArrayList<>();
    private volatile boolean sleeping;
    private volatile boolean closing;
    private volatile @Nullable Thread thread;
    private @Nullable SegmentLog log;
    private @Nullable StreamEncoder encoder;
    private long lastForce = System.nanoTime();
    private long lastExpiry = lastForce;

    RecorderThread(Owner recorder, RecorderOptions options) {
        this.recorder = recorder;
        this.options = options;
        this.linger = options.linger().toNanos();
    }

    void start(SegmentLog segments, StreamEncoder blocks, String name) {
        log = segments;
        encoder = blocks;
        Thread started = new Thread(this, name);
        started.setDaemon(true);
        thread = started;
        started.start();
    }

    // ---- any thread

    void ready(RecordingSubscriber recording) {
        ready.add(recording);
        wake();
    }

    void wake() {
        if (sleeping) {
            LockSupport.unpark(thread);
        }
    }

    void close() {
        closing = true;
        LockSupport.unpark(thread);
    }

    boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    void join() throws InterruptedException {
        Thread started = thread;
        if (started != null) {
            started.join();
        }
    }

    // ---- the thread

    /** Waits for room on the disk. Returns false if nobody wants to wait any more. */
    boolean pause() {
        if (!closing) {
            LockSupport.parkNanos(this, PAUSE);
        }
        if (System.nanoTime() - lastExpiry >= EXPIRY) {
            lastExpiry = System.nanoTime();
            recorder.keepLock();
        }
        return !closing;
    }

    @Override
    public void run() {
        SegmentLog segments = log;
        StreamEncoder blocks = encoder;
        if (segments == null || blocks == null) {
            return;
        }
        NetioRecordingException normal = new NetioRecordingException(Reason.CLOSED, "the recorder is closed");
        NetioRecordingException reason = normal;
        try {
            while (!closing) {
                turn(segments, blocks);
                sleep();
            }
            recorder.claimed().forEach(recording -> recording.close(normal));
            turn(segments, blocks);
            segments.force();
            safe(true);
            segments.seal();
        } catch (NetioRecordingException e) {
            LOG.error("recording ends", e);
            reason = e;
        } catch (RuntimeException | Error e) {
            LOG.error("recording ends", e);
            reason = new NetioRecordingException(Reason.DISK, "the recorder has failed: " + e, e);
        } finally {
            closing = true;
            segments.abandon();
            end(reason);
        }
    }

    /** The claims are closed when this returns, so that no other recording comes. */
    private void end(NetioRecordingException reason) {
        List<RecordingSubscriber> rest = recorder.over(reason);
        rest.addAll(active);
        ready.forEach(rest::add);
        rest.forEach(recording -> recording.fail(reason));
        recorder.terminated();
    }

    private void turn(SegmentLog segments, StreamEncoder blocks) {
        for (RecordingSubscriber next = ready.poll(); next != null; next = ready.poll()) {
            active.add(next);
        }
        long now = System.nanoTime();
        if (now - lastExpiry >= EXPIRY) { // first: what is written from here on may be acknowledged
            lastExpiry = now;
            segments.check();
            recorder.keepLock();
            segments.expire();
        }
        for (RecordingSubscriber recording : active) {
            if (closing || recording.due(now, linger) <= now) {
                write(recording, blocks);
            }
        }
        boolean isForced = options.fsync().isNever();
        if (!isForced && segments.isDirty() && (options.fsync().nanos() == 0 || hasEnded()
                || System.nanoTime() - lastForce >= options.fsync().nanos())) {
            segments.force();
            lastForce = System.nanoTime();
        }
        safe(isForced || !segments.isDirty());
    }

    /** Whether a recording waits for its end: what it has written has to be safe by then. */
    private boolean hasEnded() {
        for (RecordingSubscriber recording : active) {
            if (recording.isUnsafe() && recording.hasEnded()) {
                return true;
            }
        }
        return false;
    }

    private static void write(RecordingSubscriber recording, StreamEncoder blocks) {
        try {
            recording.write(blocks);
        } catch (NetioRecordingException e) {
            if (e.reason() != Reason.FULL) {
                throw e;
            }
            recording.fail(e);
        }
    }

    /** Tells recordings what is safe, and lets those rest that have nothing to do. */
    private void safe(boolean all) {
        for (Iterator<RecordingSubscriber> each = active.iterator(); each.hasNext();) {
            RecordingSubscriber recording = each.next();
            if (all && recording.isUnsafe()) {
                recording.markSafe();
            }
            if (recording.tell(closing) || recording.isIdle() && recording.rest()) {
                each.remove();
            }
        }
    }

    private void sleep() {
        sleeping = true;
        long now = System.nanoTime();
        long until = lastExpiry + EXPIRY;
        for (RecordingSubscriber recording : active) {
            long due = recording.due(now, linger);
            until = due == Long.MAX_VALUE ? until : Math.min(until, due);
            if (recording.isUnsafe()) {
                until = Math.min(until, lastForce + options.fsync().nanos());
            }
        }
        if (ready.isEmpty() && !closing && until > now) {
            LockSupport.parkNanos(this, until - now);
        }
        sleeping = false;
    }
}
