// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.NetioLoops;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.Position;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

/** Live publishers: a connection to each, on a loop that this reader has to itself, so nothing of it is left at the end. */
final class LiveOrigin implements EventOrigin {
    /** How a job connects. */
    record Config(@Nullable SlowPolicy whenSlow, Reconnects reconnects) implements Factory {
        @Override
        public EventOrigin open(String name) {
            return new LiveOrigin(this, NetioLoops.create(name, 1));
        }
    }

    private final Config config;
    private final NetioLoops loops;
    private final Map<NetioEndpoint, NetioSubscriber> subscribers = new ConcurrentHashMap<>();

    private LiveOrigin(Config config, NetioLoops loops) {
        this.config = config;
        this.loops = loops;
    }

    @Override
    public Publisher<OriginEvent> events(NetioSplit split, Consumer<Position> onStart) {
        NetioSubscriber subscriber = subscribers.computeIfAbsent(split.endpoint(), this::subscriber);
        Position last = split.last();
        return (last == null ? subscriber.subscribeSequenced(split.tags(), onStart)
                : subscriber.subscribeSequenced(split.tags(), last)).map(OriginEvent::live);
    }

    private NetioSubscriber subscriber(NetioEndpoint endpoint) {
        NetioSubscriber subscriber = NetioSubscriber.create(config.reconnects.client(endpoint, loops));
        SlowPolicy wished = config.whenSlow;
        if (wished != null) {
            subscriber = subscriber.whenSlow(wished);
        }
        return config.reconnects.attempts() == 0 ? subscriber : subscriber.reconnect(config.reconnects.retry(loops));
    }

    @Override
    public long reconnects() {
        return subscribers.values().stream().mapToLong(subscriber -> subscriber.statistics().reconnects()).sum();
    }

    @Override
    public void close() {
        loops.dispose();
    }
}
