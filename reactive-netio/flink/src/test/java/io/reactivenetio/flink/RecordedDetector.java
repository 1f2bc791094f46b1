// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import io.reactivenetio.recorder.NetioRecorder;
import io.reactivenetio.recorder.NetioRecording;
import io.reactivenetio.recorder.NetioRecordingServer;
import io.reactivenetio.recorder.RecorderOptions;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import reactor.core.publisher.Flux;

/** Serves a recording of tag 7 over plain TCP: so many messages, of which the recorder had missed numbers 100 to 109. */
final class RecordedDetector implements AutoCloseable {
    static final long MISSING = 10;

    private final NetioRecording recording;
    private final DisposableServer server;

    RecordedDetector(Path directory, int total) {
        Tags tags = Tags.of(Detector.TAG);
        Flux<SequencedEvent> before = Flux.range(0, 100).map(n -> message(tags, n));
        Flux<SequencedEvent> after = Flux.range(110, total - 110).map(n -> message(tags, n));
        try (NetioRecorder recorder = NetioRecorder.open(directory, RecorderOptions.defaults())) {
            recorder.record(tags, before.concatWithValues(new Gap(tags, 1, 100, 109)).concatWith(after))
                    .blockLast(Duration.ofSeconds(60));
        }
        recording = NetioRecording.open(directory);
        server = NetioRecordingServer.create(recording)
                .serve(NetioServer.create().backend(BackendType.TCP).host("127.0.0.1")).bindNow();
    }

    private static SequencedEvent message(Tags tags, long n) {
        return new SequencedMessage(tags, 1, n, TaggedMessage.of(Detector.TAG, ByteBuffer.allocate(Long.BYTES).putLong(0, n)));
    }

    int port() {
        return server.port();
    }

    @Override
    public void close() {
        server.disposeNow(Duration.ofSeconds(60));
        recording.close();
    }
}
