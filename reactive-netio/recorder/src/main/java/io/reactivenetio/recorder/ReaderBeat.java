// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.scheduler.Schedulers;

/**
 * Has a recording look for more while readers wait, and finds out when their Scheduler was disposed of. A Scheduler that is
 * disposed of forgets what it was to run, so readers would wait for ever. Another one measures the time. Any thread.
 */
final class ReaderBeat {
    private static final Logger LOG = LoggerFactory.getLogger(NetioRecording.class);

    private final NetioRecording recording;
    private final long nanos;
    private final AtomicBoolean beating = new AtomicBoolean();
    /** Whether the readers' Scheduler is to look. */
    private final AtomicBoolean looking = new AtomicBoolean();
    private final AtomicBoolean told = new AtomicBoolean();

    ReaderBeat(NetioRecording recording, long nanos) {
        this.recording = recording;
        this.nanos = nanos;
    }

    /** Beats from now on, as long as there are readers. */
    void start() {
        if (!beating.getAndSet(true)) {
            later();
        }
    }

    private void later() {
        Schedulers.parallel().schedule(this::beat, nanos, TimeUnit.NANOSECONDS);
    }

    private void beat() {
        if (recording.scheduler().isDisposed()) {
            abandon();
        } else if (recording.isAnybodyWaiting() && !looking.getAndSet(true)) {
            try {
                recording.scheduler().schedule(this::look);
            } catch (RejectedExecutionException e) {
                looking.set(false);
                recording.wakeWaiting(); // each is refused, too, or is not: the Scheduler may only be busy
            }
        }
        if (recording.hasReaders()) {
            later();
            return;
        }
        beating.set(false);
        if (recording.hasReaders()) { // one that came meanwhile
            start();
        }
    }

    private void look() {
        looking.set(false);
        recording.lookForMore();
    }

    private void abandon() {
        if (!told.getAndSet(true)) {
            LOG.warn("{} is read no more: its Scheduler was disposed of", recording.directory());
        }
        recording.abandon();
    }
}
