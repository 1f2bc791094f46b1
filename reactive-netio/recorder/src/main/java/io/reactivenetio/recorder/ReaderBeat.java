// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Has a recording look for more while readers wait, and finds out when their Scheduler was disposed of. A Scheduler that is
 * disposed of forgets what it was to run, so readers would wait for ever. Another one measures the time. Any thread.
 */
final class ReaderBeat {
    private static final Logger LOG = LoggerFactory.getLogger("io.reactivenetio.recorder.NetioRecording");

    /** The readers of a recording, and where they read. */
    interface Readers {
        Scheduler scheduler();

        boolean isEmpty();

        /** Whether one of them is to be told when there is more. */
        boolean isAnybodyWaiting();

        /** Has those that wait find out for themselves. */
        void wakeWaiting();

        /** Looks whether there is more. On their Scheduler. */
        void lookForMore();

        /** Ends those that are not running: their Scheduler runs nothing any more. */
        void abandon();
    }

    private final Readers readers;
    private final long nanos;
    private final AtomicBoolean beating = new AtomicBoolean();
    /** Whether the readers' Scheduler is to look. */
    private final AtomicBoolean looking = new AtomicBoolean();
    private final AtomicBoolean told = new AtomicBoolean();

    ReaderBeat(Readers readers, long nanos) {
        this.readers = readers;
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
        if (readers.scheduler().isDisposed()) {
            abandon();
        } else if (readers.isAnybodyWaiting() && !looking.getAndSet(true)) {
            try {
                readers.scheduler().schedule(this::look);
            } catch (RejectedExecutionException e) {
                looking.set(false);
                readers.wakeWaiting(); // each is refused, too, or is not: the Scheduler may only be busy
            }
        }
        if (!readers.isEmpty()) {
            later();
            return;
        }
        beating.set(false);
        if (!readers.isEmpty()) { // one that came meanwhile
            start();
        }
    }

    private void look() {
        looking.set(false);
        readers.lookForMore();
    }

    private void abandon() {
        if (!told.getAndSet(true)) {
            LOG.warn("{} are read no more: their Scheduler was disposed of", readers);
        }
        readers.abandon();
    }
}
