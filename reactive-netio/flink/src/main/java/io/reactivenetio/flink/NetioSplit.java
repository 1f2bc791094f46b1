// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Position;
import java.util.Objects;
import org.apache.flink.api.connector.source.SourceSplit;
import org.jspecify.annotations.Nullable;

/**
 * The part of a source that one reader reads: tags that one publisher publishes with one {@code publish}, and how far it was
 * read.
 *
 * @param endpoint where the publisher listens
 * @param firstTag the first of the tags
 * @param lastTag the last of the tags; for a single tag the same
 * @param last the last message that was emitted or told to be missing; null if there was none yet
 */
public record NetioSplit(NetioEndpoint endpoint, long firstTag, long lastTag, @Nullable Position last) implements SourceSplit {

    /** @throws IllegalArgumentException if {@code lastTag} is less than {@code firstTag}, compared without sign */
    public NetioSplit {
        Objects.requireNonNull(endpoint, "endpoint");
        if (Long.compareUnsigned(lastTag, firstTag) < 0) {
            throw new IllegalArgumentException("tags from " + Long.toUnsignedString(firstTag) + " to "
                    + Long.toUnsignedString(lastTag));
        }
    }

    /** The endpoint and the tags, such as {@code daq1:7000/7} or {@code daq1:7000/4096-8191}. It is the same in every run. */
    @Override
    public String splitId() {
        return id(endpoint, tags());
    }

    static String id(NetioEndpoint endpoint, Tags tags) {
        String id = endpoint + "/" + Long.toUnsignedString(tags.first());
        return tags.kind() == Tags.Kind.ONE ? id : id + "-" + Long.toUnsignedString(tags.second());
    }

    /** The tags to subscribe to. */
    public Tags tags() {
        return firstTag == lastTag ? Tags.of(firstTag) : Tags.range(firstTag, lastTag);
    }

    NetioSplit at(@Nullable Position position) {
        return new NetioSplit(endpoint, firstTag, lastTag, position);
    }
}
