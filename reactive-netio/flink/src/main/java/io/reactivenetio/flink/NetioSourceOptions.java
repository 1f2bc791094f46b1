// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import java.io.Serializable;
import java.util.List;

/** What a source is configured with, beside its schema and its origin. */
record NetioSourceOptions(List<NetioEndpoint> endpoints, List<TagRange> tags, boolean discovers, GapHandling onGap, int handOver)
        implements Serializable {
    /** Tags that are published with one {@code publish}. */
    record TagRange(long first, long last) implements Serializable {
        boolean overlaps(TagRange other) {
            return Long.compareUnsigned(first, other.last) <= 0 && Long.compareUnsigned(other.first, last) <= 0;
        }
    }

    /** One for each endpoint and tags, in an order that depends on nothing but these. */
    List<NetioSplit> splits() {
        return endpoints.stream().flatMap(endpoint -> tags.stream()
                .map(range -> new NetioSplit(endpoint, range.first, range.last, null))).toList();
    }

    boolean isConfigured(NetioSplit split) {
        return endpoints.contains(split.endpoint())
                && (discovers || tags.contains(new TagRange(split.firstTag(), split.lastTag())));
    }
}
