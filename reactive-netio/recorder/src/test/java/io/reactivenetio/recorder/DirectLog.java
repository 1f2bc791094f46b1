// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.SequencedEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Writes blocks without a recorder's thread, so that it is known which. */
final class DirectLog implements AutoCloseable {
    static final long RECORDING = 0x1122_3344_5566_7788L;

    private final SegmentLog log;
    private final StreamEncoder encoder;
    private final Map<Tags, StreamEncoder.Stream> streams = new HashMap<>();

    DirectLog(Path directory, RecorderOptions options, RecorderCounters counters) {
        this(directory, options, counters, RECORDING);
    }

    DirectLog(Path directory, RecorderOptions options, RecorderCounters counters, long recording) {
        try {
            Files.createDirectories(directory);
            log = new SegmentLog(directory, options, Surroundings.REAL, Recovery.of(directory, false), recording, counters,
                    () -> false, 0, number -> { });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        encoder = new StreamEncoder(new Block(options.blockBytes()), log, counters);
    }

    /** Writes a block of these events, or several if they are many. */
    void write(Tags tags, List<? extends SequencedEvent> events) {
        encoder.begin(streams.computeIfAbsent(tags, of -> new StreamEncoder.Stream(of, new Recovery.End(0, 0, 0))));
        long time = 1_000_000;
        for (SequencedEvent event : events) {
            encoder.add(event, time++);
        }
        encoder.flush();
    }

    @Override
    public void close() {
        log.seal();
    }
}
