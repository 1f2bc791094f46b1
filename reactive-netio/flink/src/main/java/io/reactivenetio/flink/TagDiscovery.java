// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.NetioLoops;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioSubscriber;
import java.io.Serializable;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * Asks each publisher which tags it publishes. One that cannot be reached is asked again, as often as the readers try to
 * connect. What comes of it is told on the thread of a loop.
 */
final class TagDiscovery implements AutoCloseable {
    /** What a job is configured with. */
    record Config(List<NetioEndpoint> endpoints, long tag, Reconnects reconnects) implements Serializable {
    }

    /** What comes of it, for each endpoint once: its splits, or why there are none. */
    interface Listener extends BiConsumer<@Nullable List<NetioSplit>, @Nullable Throwable> {
    }

    private final NetioLoops loops = NetioLoops.create("netio-flink-tags", 1);
    private final Disposable.Composite asking = Disposables.composite();

    private TagDiscovery() {
    }

    static TagDiscovery start(Config config, Listener listener) {
        TagDiscovery discovery = new TagDiscovery();
        discovery.ask(config, listener);
        return discovery;
    }

    private void ask(Config config, Listener listener) {
        for (NetioEndpoint endpoint : config.endpoints) {
            NetioSubscriber subscriber = NetioSubscriber.create(config.reconnects.client(endpoint, loops));
            if (config.reconnects.attempts() > 0) {
                subscriber = subscriber.reconnect(config.reconnects.retry(loops));
            }
            asking.add(subscriber.publishedTags(config.tag).map(tags -> split(endpoint, tags)).collectList()
                    .subscribe(splits -> listener.accept(splits, null), error -> listener.accept(null, new IllegalStateException(
                            "finding the tags of " + endpoint + " at tag " + Long.toUnsignedString(config.tag) + " failed: "
                                    + error, error))));
        }
    }

    private static NetioSplit split(NetioEndpoint endpoint, Tags tags) {
        return switch (tags.kind()) {
            case ONE -> new NetioSplit(endpoint, tags.first(), tags.first(), null);
            case RANGE -> new NetioSplit(endpoint, tags.first(), tags.second(), null);
            case MASK -> throw new IllegalArgumentException("a split has one tag or a range, and not " + tags);
        };
    }

    /** Asks no longer, and returns when the loop's thread has ended. */
    @Override
    public void close() {
        asking.dispose();
        loops.dispose();
    }
}
