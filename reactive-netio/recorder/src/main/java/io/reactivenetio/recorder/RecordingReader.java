// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.SequencedEvent;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Reads what was recorded: from the disk, see {@link NetioRecording}, or over the network, see {@link NetioRecordingClient}. All
 * methods may be called on any thread. Each subscription reads for itself, and no further than it is asked for.
 *
 * <p>A Flux tells the events of one recorded stream in order, with nothing left out in silence. What is missing is a
 * {@link io.reactivenetio.pubsub.Gap}: what the recorder missed, what was deleted since, and what is damaged on the disk.
 * Payloads are heap buffers owned by the receiver.
 *
 * <p>A Flux fails with a {@link NetioRecordingException}: NOT_RECORDED if nothing is recorded for exactly these tags, UNKNOWN_RUN
 * if the run of the position is not in the recording, any more or at all. {@link RecordingPosition#afterOrOldest} goes on with
 * the oldest instead.
 */
public interface RecordingReader {

    /** What there is now, one element for each recorded stream. */
    Mono<List<RecordedTags>> tags();

    /**
     * Reads one recorded stream, with the times at which the recorder got the messages.
     *
     * @param tags the very tags that were recorded as one stream
     * @param from where to begin
     * @param follow whether to go on with what is recorded from now on. If not, the Flux completes at the end that is there when
     *     the reader gets to it
     */
    Flux<RecordedEvent> read(Tags tags, RecordingPosition from, boolean follow);

    /**
     * Reads one recorded stream to its present end, and completes.
     *
     * @param last the last message that the reader has; null to begin with the oldest that there is
     */
    default Flux<SequencedEvent> read(Tags tags, @Nullable Position last) {
        return read(tags, RecordingPosition.of(last), false).map(RecordedEvent::event);
    }

    /**
     * Reads as {@link #read(Tags, Position)} does, and goes on with what is recorded from then on. The Flux does not complete.
     */
    default Flux<SequencedEvent> follow(Tags tags, @Nullable Position last) {
        return read(tags, RecordingPosition.of(last), true).map(RecordedEvent::event);
    }
}
