// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.util.FlinkRuntimeException;
import org.jspecify.annotations.Nullable;

/**
 * Gives each reader its share of the splits when it registers: the split at place i goes to reader i modulo their number, in
 * every run. A split that comes back from a reader that failed waits for that reader's next attempt. Splits that are discovered
 * get their places as they come. When there will be no others, readers are told so, and when no reader has one any more, they
 * are told to end. All calls are on the coordinator's thread.
 */
final class NetioSplitEnumerator implements SplitEnumerator<NetioSplit, NetioEnumeratorState> {
    private final SplitEnumeratorContext<NetioSplit> context;
    private final Set<String> known = new LinkedHashSet<>();
    /** The splits that wait, by the reader that gets them. */
    private final Map<Integer, List<NetioSplit>> waiting = new HashMap<>();
    private final TagDiscovery.@Nullable Config discovers;
    /** Readers that have no split, and get none. */
    private final Set<Integer> withoutSplits = new HashSet<>();
    private boolean allAreOver;
    /** How many endpoints there are whose tags are still to be discovered. */
    private int undiscovered;
    private int places;
    private @Nullable TagDiscovery discovery;

    /** {@code restored} is null in a job that begins. Splits that it does not know are new: no reader has them. */
    NetioSplitEnumerator(SplitEnumeratorContext<NetioSplit> context, List<NetioSplit> configured,
            TagDiscovery.@Nullable Config discovers, @Nullable NetioEnumeratorState restored) {
        this.context = context;
        this.discovers = discovers;
        this.undiscovered = discovers == null ? 0 : discovers.endpoints().size();
        Map<String, NetioSplit> unassigned = new HashMap<>();
        if (restored != null) {
            known.addAll(restored.known());
            restored.unassigned().forEach(split -> unassigned.put(split.splitId(), split));
        }
        configured.forEach(split -> place(split, unassigned.get(split.splitId())));
        if (discovers != null) { // its publisher need not publish it any more
            unassigned.values().forEach(split -> place(split, split));
        }
    }

    private void place(NetioSplit split, @Nullable NetioSplit kept) {
        int reader = places++ % context.currentParallelism();
        if (known.add(split.splitId()) || kept != null) {
            waitFor(reader, kept == null ? split : kept);
        }
    }

    private void waitFor(int reader, NetioSplit split) {
        waiting.computeIfAbsent(reader, none -> new ArrayList<>()).add(split);
    }

    @Override
    public void start() {
        context.metricGroup().setUnassignedSplitsGauge(() -> (long) unassigned().size());
        TagDiscovery.Config asked = discovers;
        if (asked != null) {
            discovery = TagDiscovery.start(asked, (splits, error) ->
                    context.runInCoordinatorThread(() -> discovered(splits, error)));
        }
    }

    /** What an endpoint publishes, or why that is not known, which fails the job. */
    void discovered(@Nullable List<NetioSplit> splits, @Nullable Throwable error) {
        if (splits == null) {
            throw new FlinkRuntimeException(error);
        }
        undiscovered--;
        splits.forEach(split -> place(split, null));
        List.copyOf(context.registeredReaders().keySet()).forEach(this::addReader);
        if (undiscovered == 0) {
            close(); // nobody is asked any more: no thread is kept for the life of the job
        }
    }

    @Override
    public void addReader(int reader) {
        withoutSplits.remove(reader); // a new attempt, which says it again
        List<NetioSplit> share = waiting.remove(reader);
        if (share != null) {
            share.forEach(split -> context.assignSplit(split, reader));
        }
        if (undiscovered == 0) {
            context.signalNoMoreSplits(reader);
        }
    }

    @Override
    public void addSplitsBack(List<NetioSplit> splits, int reader) {
        withoutSplits.remove(reader);
        splits.forEach(split -> waitFor(reader, split));
    }

    @Override
    public void handleSourceEvent(int reader, SourceEvent event) {
        if (event != WhenAllAreOver.HAS_NONE) {
            return;
        }
        withoutSplits.add(reader);
        if (allAreOver) { // one that failed while the others ended
            context.sendEventToSourceReader(reader, WhenAllAreOver.END);
        } else if (withoutSplits.size() == context.currentParallelism()) {
            allAreOver = true;
            List.copyOf(context.registeredReaders().keySet())
                    .forEach(one -> context.sendEventToSourceReader(one, WhenAllAreOver.END));
        }
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
        TagDiscovery asking = discovery;
        if (asking != null) {
            asking.close();
        }
    }
}
