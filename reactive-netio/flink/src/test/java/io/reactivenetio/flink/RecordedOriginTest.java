// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.RunChange;
import io.reactivenetio.pubsub.SequencedMessage;
import io.reactivenetio.recorder.NetioRecordingException;
import io.reactivenetio.transport.BackendType;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** Where a reader of a recording begins. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class RecordedOriginTest {
    private static final Position DELETED = new Position(99, 5);
    private static final int TOTAL = 200;

    @TempDir
    private Path directory;

    private static List<OriginEvent> read(RecordedDetector detector, @Nullable Instant begin, boolean orOldest,
            @Nullable Position last) {
        Reconnects never = new Reconnects(0, Duration.ZERO, Duration.ZERO, client -> client.backend(BackendType.TCP));
        try (EventOrigin origin = new RecordedOrigin.Config(never, false, begin, orOldest).open("recorded-origin-test")) {
            NetioSplit split = new NetioSplit(new NetioEndpoint("127.0.0.1", detector.port()), Detector.TAG, Detector.TAG, last);
            return Flux.from(origin.events(split, start -> { })).collectList().block(Duration.ofSeconds(60));
        }
    }

    @Test
    void shouldFailOrTellThatItsRunWasDeleted() {
        try (RecordedDetector detector = new RecordedDetector(directory, TOTAL)) {
            assertThatThrownBy(() -> read(detector, null, false, DELETED)).isInstanceOf(NetioRecordingException.class)
                    .extracting(error -> ((NetioRecordingException) error).reason())
                    .isEqualTo(NetioRecordingException.Reason.UNKNOWN_RUN);

            List<OriginEvent> events = read(detector, null, true, DELETED);
            assertThat(events).hasSize(1 + TOTAL - (int) RecordedDetector.MISSING + 1);
            assertThat(events.get(0).event()).isEqualTo(new RunChange(Tags.of(Detector.TAG), DELETED, 1));
            assertThat(((SequencedMessage) events.get(1).event()).sequence()).isZero();
            assertThat(read(detector, null, true, new Position(1, 150))).hasSize(TOTAL - 151);
        }
    }

    @Test
    void shouldBeginAtATime() {
        Instant before = Instant.now();
        try (RecordedDetector detector = new RecordedDetector(directory, TOTAL)) {
            assertThat(read(detector, before, false, null)).hasSize(TOTAL - (int) RecordedDetector.MISSING + 1);
            assertThat(read(detector, Instant.now(), false, null)).isEmpty();
        }
    }
}
