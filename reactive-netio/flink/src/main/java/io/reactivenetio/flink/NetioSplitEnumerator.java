// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.jspecify.annotations.Nullable;

/**
 * Gives each reader its share of the splits when it registers: the split at place i goes to reader i modulo their number, in
 * every run. A split that comes back from a reader that failed waits for that reader's next attempt. There will be no other
 * splits, so readers are told at once. All calls are on the coordinator's thread.
 */
final class NetioSplitEnumerator implements SplitEnumerator<NetioSplit, NetioEnumeratorState> {
    private final SplitEnumeratorContext<NetioSplit> context;
    private final Set<String> known = new LinkedHashSet<>();
    /** By the reader that gets them. */
    private final Map<Integer, List<NetioSplit>> waiting = new HashMap<>();

    /** {@code restored} is null in a job that begins. Splits that it does not know are new: no reader has them. */
    NetioSplitEnumerator(SplitEnumeratorContext<NetioSplit> context, List<NetioSplit> configured,
            @Nullable NetioEnumeratorState restored) {
        this.context = context;
        Map<String, NetioSplit> unassigned = new HashMap<>();
        if (restored != null) {
            known.addAll(restored.known());
            restored.unassigned().forEach(split -> unassigned.put(split.splitId(), split));
        }
        for (int place = 0; place < configured.size(); place++) {
            NetioSplit split = configured.get(place);
            NetioSplit kept = unassigned.get(split.splitId());
            if (known.add(split.splitId()) || kept != null) {
                waitFor(place % context.currentParallelism(), kept == null ? split : kept);
            }
        }
    }

    private void waitFor(int reader, NetioSplit split) {
        waiting.computeIfAbsent(reader, none -> new ArrayList<>()).add(split);
    }

    @Override
    public void start() {
        context.metricGroup().setUnassignedSplitsGauge(() -> (long) unassigned().size());
    }

    @Override
    public void addReader(int reader) {
        List<NetioSplit> share = waiting.remove(reader);
        if (share != null) {
            share.forEach(split -> context.assignSplit(split, reader));
        }
        context.signalNoMoreSplits(reader);
    }

    @Override
    public void addSplitsBack(List<NetioSplit> splits, int reader) {
        splits.forEach(split -> waitFor(reader, split));
    }

    /** Readers do not ask. */
    @Override
    public void handleSplitRequest(int reader, @Nullable String host) {
    }

    @Override
    public NetioEnumeratorState snapshotState(long checkpoint) {
        return new NetioEnumeratorState(known, unassigned());
    }

    private List<NetioSplit> unassigned() {
        return waiting.values().stream().flatMap(List::stream).toList();
    }

    @Override
    public void close() {
    }
}
