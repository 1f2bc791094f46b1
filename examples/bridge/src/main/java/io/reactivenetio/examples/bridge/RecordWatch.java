// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import io.reactivenetio.examples.cli.StatusLine;
import io.reactivenetio.recorder.NetioRecorder;
import io.reactivenetio.recorder.RecorderStatistics;
import java.time.Duration;
import java.util.Locale;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/**
 * Says on stderr what a recorder would log: that it waits for room, and that what it has written is lost. A recorder that waits
 * for room when it is to end has a moment to find some, and is closed then.
 */
final class RecordWatch implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofMillis(100);
    private static final int PATIENCE = 20;

    private final NetioRecorder recorder;
    private final StatusLine line;
    private final Interruptible interruptible;
    private final Disposable looks;
    private boolean waited;
    private long lost;
    private int waits;

    RecordWatch(NetioRecorder recorder, StatusLine line, Interruptible interruptible) {
        this.recorder = recorder;
        this.line = line;
        this.interruptible = interruptible;
        this.looks = Flux.interval(INTERVAL).onBackpressureDrop().subscribe(tick -> look());
    }

    private synchronized void look() {
        RecorderStatistics now = recorder.statistics();
        if (now.waitsForRoom() != waited) {
            waited = now.waitsForRoom();
            if (waited) {
                line.say("netio: there is no room in " + recorder.directory() + ": recording waits until there is");
            } else if (!interruptible.isAsked() && !recorder.isDisposed()) {
                line.say("netio: there is room again: recording goes on");
            }
        }
        if (now.lost() > lost) {
            line.say(String.format(Locale.ROOT, "netio: %,d messages are lost that were recorded: somebody has deleted, cut or"
                    + " replaced the file that was being written in %s", now.lost() - lost, recorder.directory()));
            lost = now.lost();
        }
        waits = waited && interruptible.isAsked() ? waits + 1 : 0;
        if (waits == PATIENCE) {
            recorder.dispose();
        }
    }

    /** Has a last look. */
    @Override
    public void close() {
        looks.dispose();
        look();
    }
}
