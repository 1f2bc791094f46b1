// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import static io.reactivenetio.recorder.Events.SOON;
import static io.reactivenetio.recorder.Events.TAG;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.recorder.NetioRecordingException.Reason;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** What the documentation shows. */
class SnippetsTest {
    @TempDir
    Path directory;

    // snippet: record
    NetioRecorder recorder(Path directory) {
        return NetioRecorder.open(directory, RecorderOptions.defaults()
                .maxBytes(100L << 30) // then the oldest segments are deleted
                .fsync(Fsync.interval(Duration.ofMillis(200))));
    }

    Flux<Recorded> record(NetioRecorder recorder, NetioSubscriber subscriber) {
        return recorder.record(subscriber, Tags.of(7), Tags.range(10, 20)); // goes on behind what is there
    }
    // end

    // snippet: read
    Flux<SequencedEvent> since(RecordingReader recording, Position last) {
        return recording.read(Tags.of(7), last) // to its present end; follow goes on
                .onErrorResume(NetioRecordingException.class, e -> e.reason() == Reason.UNKNOWN_RUN
                        ? recording.read(Tags.of(7), (Position) null) // deleted by now: all that is left
                        : Flux.error(e));
    }
    // end

    // snippet: serve
    NetioServer serve(NetioServer server, NetioRecording recording) {
        return NetioRecordingServer.create(recording).serve(server);
    }

    Flux<SequencedEvent> fromAfar(NetioClient client, Position last) {
        return NetioRecordingClient.create(client.framing(Framing.stream().prefetch(256)))
                .reconnect(Retry.backoff(Long.MAX_VALUE, Duration.ofMillis(100)))
                .follow(Tags.of(7), last);
    }
    // end

    // snippet: replay
    Mono<Void> again(NetioRecording recording, NetioPublisher publisher) {
        return NetioReplay.of(recording).speed(10).publishTo(publisher); // served from now on; ten times as fast as it was
    }
    // end

    @Test
    void shouldDoWhatTheDocumentationSays() {
        NetioPublisher publisher = NetioPublisher.create()
                .publish(7, Flux.range(0, 10).map(n -> ByteBuffer.allocate(n)))
                .publish(Tags.range(10, 20), Flux.just(TaggedMessage.of(11, ByteBuffer.allocate(1))));
        DisposableServer source = publisher.serve(NetioServer.create().backend(BackendType.TCP)).bindNow();
        NetioClient toSource = NetioClient.create().backend(BackendType.TCP).port(source.port());
        try (NetioRecorder recorder = recorder(directory)) {
            record(recorder, NetioSubscriber.create(toSource)).blockLast(SOON);
        }
        source.disposeNow(SOON);
        try (NetioRecording recording = NetioRecording.open(directory)) {
            assertThat(since(recording, new Position(123, 4)).count().block(SOON)).isEqualTo(10);
            NetioPublisher other = NetioPublisher.create();
            again(recording, other).subscribe();
            NetioServer both = other.serve(serve(NetioServer.create().backend(BackendType.TCP), recording));
            DisposableServer server = both.bindNow();
            NetioClient client = NetioClient.create().backend(BackendType.TCP).port(server.port());
            long run = recording.read(TAG, (Position) null).blockFirst(SOON).run();
            assertThat(fromAfar(client, new Position(run, 6)).take(3).collectList().block(SOON)).hasSize(3);
            assertThat(NetioSubscriber.create(client).subscribe(7).count().block(SOON)).isEqualTo(10);
            server.disposeNow(SOON);
        }
    }
}
