// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.RunChange;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/** Makes events for the tests, and says in short what they are. */
final class Events {
    /** For what only a hang would take so long. */
    static final Duration SOON = Duration.ofSeconds(60);
    static final Tags TAG = Tags.of(7);

    private Events() {
    }

    static SequencedEvent message(Tags tags, long run, long sequence, String text) {
        return new SequencedMessage(tags, run, sequence, new TaggedMessage(tags.first(), 0,
                ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8))));
    }

    static SequencedEvent message(long run, long sequence) {
        return message(TAG, run, sequence, "m" + sequence);
    }

    /** Messages {@code from} to before {@code to} of run 1. */
    static List<SequencedEvent> messages(int from, int to) {
        return IntStream.range(from, to).mapToObj(n -> message(1, n)).toList();
    }

    static String text(SequencedEvent event) {
        return switch (event) {
            case SequencedMessage m -> m.run() + ":" + m.sequence() + "=" + StandardCharsets.UTF_8.decode(m.message().payload()
                    .duplicate());
            case Gap g -> g.run() + ":" + g.from() + "-" + g.to();
            case RunChange c -> c.last().run() + ":" + c.last().sequence() + ">" + c.run();
        };
    }

    static void record(Path directory, List<? extends SequencedEvent> events) {
        record(directory, RecorderOptions.defaults(), events);
    }

    static void record(Path directory, RecorderOptions options, List<? extends SequencedEvent> events) {
        try (NetioRecorder recorder = NetioRecorder.open(directory, options)) {
            recorder.record(events.getFirst().tags(), Flux.fromIterable(events)).blockLast(SOON);
        }
    }

    static List<String> read(Path directory, Tags tags, @Nullable Position last) {
        try (NetioRecording recording = NetioRecording.open(directory)) {
            return texts(recording.read(tags, last));
        }
    }

    static List<String> read(Path directory) {
        return read(directory, TAG, null);
    }

    static List<String> texts(Flux<SequencedEvent> events) {
        return Objects.requireNonNull(events.map(Events::text).collectList().block(SOON));
    }
}
