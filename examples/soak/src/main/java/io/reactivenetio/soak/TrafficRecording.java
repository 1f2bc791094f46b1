// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.recorder.NetioRecorder;
import io.reactivenetio.recorder.NetioRecording;
import io.reactivenetio.recorder.RecorderOptions;
import io.reactivenetio.recorder.RecordingPosition;
import java.nio.file.Path;
import java.time.Duration;
import reactor.core.Disposable;

/** A recording of a source that goes on for as long as the traffic, and is read when it is over. */
final class TrafficRecording {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final Path directory;
    private final Faults faults;
    private final NetioRecorder recorder;
    private final Disposable recording;
    private long events;

    TrafficRecording(Path directory, NetioSubscriber subscriber, Faults faults) {
        this.directory = directory;
        this.faults = faults;
        recorder = NetioRecorder.open(directory, RecorderOptions.defaults());
        recording = recorder.record(subscriber, TrafficServer.HOT)
                .subscribe(recorded -> { }, failure -> faults.add("the recording failed: " + failure));
    }

    /** Ends it, and looks whether every message is in it, or told as missing. */
    void end() {
        recording.dispose();
        recorder.dispose();
        recorder.onDispose().block(LIMIT);
        RunCheck check = new RunCheck();
        try (NetioRecording kept = NetioRecording.open(directory)) {
            kept.read(TrafficServer.HOT, RecordingPosition.beginning(), false).doOnNext(one -> check.take(one.event()))
                    .then().block(LIMIT);
        }
        check.faults().forEach(fault -> faults.add("the recording: " + fault));
        events = check.arrived() + check.missing();
    }

    /** Returns how many messages it accounts for. */
    long events() {
        return events;
    }
}
