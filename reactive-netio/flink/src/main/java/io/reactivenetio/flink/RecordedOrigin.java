// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.recorder.NetioRecordingClient;
import io.reactivenetio.recorder.RecordingPosition;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

/** Recordings that servers of recordings serve: what a position stands behind is read again, and nothing else. */
final class RecordedOrigin implements EventOrigin {
    /**
     * How a job connects, whether it goes on at the end with what is recorded from then on, at which time it begins if not with
     * the oldest, and whether it goes on with the oldest where the run of its position is not in the recording.
     */
    record Config(Reconnects reconnects, boolean follow, @Nullable Instant begin, boolean orOldest)
            implements Factory {
        @Override
        public EventOrigin open(String name) {
            return new RecordedOrigin(this, NetioLoops.create(name, 1));
        }

        private RecordingPosition beginning() {
            return begin == null ? RecordingPosition.beginning() : RecordingPosition.at(begin);
        }

        private RecordingPosition behind(Position last) {
            return orOldest ? RecordingPosition.afterOrOldest(last) : RecordingPosition.after(last);
        }
    }

    private final Config config;
    private final NetioLoops loops;
    private final Map<NetioEndpoint, NetioRecordingClient> clients = new ConcurrentHashMap<>();
    private final AtomicLong reconnects = new AtomicLong();

    private RecordedOrigin(Config config, NetioLoops loops) {
        this.config = config;
        this.loops = loops;
    }

    /** Whoever has nothing yet begins at the same place again. */
    @Override
    public Publisher<OriginEvent> events(NetioSplit split, Consumer<Position> onStart) {
        Position last = split.last();
        return clients.computeIfAbsent(split.endpoint(), this::client)
                .read(split.tags(), last == null ? config.beginning() : config.behind(last), config.follow)
                .map(recorded -> new OriginEvent(recorded.event(), TimeUnit.NANOSECONDS.toMillis(recorded.time())));
    }

    private NetioRecordingClient client(NetioEndpoint endpoint) {
        NetioClient client = config.reconnects.client(endpoint, loops);
        NetioRecordingClient reader = NetioRecordingClient.create(client);
        return config.reconnects.attempts() == 0 ? reader
                : reader.reconnect(config.reconnects.retry(loops).doAfterRetry(signal -> reconnects.incrementAndGet()));
    }

    @Override
    public long reconnects() {
        return reconnects.get();
    }

    @Override
    public void close() {
        loops.dispose();
    }
}
