// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.pubsub.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.apache.flink.api.connector.source.ReaderInfo;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NetioSplitEnumeratorTest {
    private final Coordinator coordinator = new Coordinator(3);

    @Test
    void shouldEndReadersWhenNoneHasASplit() {
        NetioSplitEnumerator enumerator = begin(splits(2));
        register(enumerator, 0, 1, 2);
        enumerator.handleSourceEvent(2, WhenAllAreOver.HAS_NONE);
        enumerator.handleSourceEvent(2, WhenAllAreOver.HAS_NONE);
        enumerator.handleSourceEvent(0, WhenAllAreOver.HAS_NONE);
        assertThat(coordinator.ended).isEmpty();

        coordinator.registered.remove(0); // fails, and comes again
        enumerator.addSplitsBack(List.of(), 0);
        enumerator.handleSourceEvent(1, WhenAllAreOver.HAS_NONE);
        assertThat(coordinator.ended).isEmpty();
        register(enumerator, 0);
        assertThat(coordinator.ended).isEmpty();
        enumerator.handleSourceEvent(0, WhenAllAreOver.HAS_NONE);
        assertThat(coordinator.ended).containsExactlyInAnyOrder(0, 1, 2);

        coordinator.registered.remove(1); // while the others have ended
        enumerator.addSplitsBack(List.of(), 1);
        register(enumerator, 1);
        enumerator.handleSourceEvent(1, WhenAllAreOver.HAS_NONE);
        assertThat(coordinator.ended).containsExactlyInAnyOrder(0, 1, 2, 1);
    }

    @Test
    void shouldShareTheSplitsEvenlyAndTheSameEachTime() {
        NetioSplitEnumerator enumerator = begin(splits(8));
        for (int reader : new int[] {2, 0, 1}) {
            enumerator.addReader(reader);
        }

        assertThat(coordinator.assigned.get(0)).extracting(NetioSplit::splitId).containsExactly("daq:1/7", "daq:4/7", "daq:7/7");
        assertThat(coordinator.assigned.get(1)).extracting(NetioSplit::splitId).containsExactly("daq:2/7", "daq:5/7", "daq:8/7");
        assertThat(coordinator.assigned.get(2)).extracting(NetioSplit::splitId).containsExactly("daq:3/7", "daq:6/7");
        assertThat(coordinator.toldNoMore).containsExactlyInAnyOrder(0, 1, 2);
        assertThat(enumerator.snapshotState(1).unassigned()).isEmpty();
    }

    @Test
    void shouldTellReadersWithoutSplitsThatThereAreNone() {
        NetioSplitEnumerator enumerator = begin(splits(1));
        enumerator.addReader(2);

        assertThat(coordinator.assigned).isEmpty();
        assertThat(coordinator.toldNoMore).containsExactly(2);
        assertThat(enumerator.snapshotState(1).unassigned()).hasSize(1);
    }

    @Test
    void shouldGiveAFailedReaderItsSplitsAgainWhereTheyWere() {
        NetioSplitEnumerator enumerator = begin(splits(4));
        IntStream.range(0, 3).forEach(enumerator::addReader);
        NetioSplit back = splits(4).get(0).at(new Position(9, 99));
        coordinator.forget();

        enumerator.addSplitsBack(List.of(back), 1); // it is not reader 1's by its place, but another one may have finished
        assertThat(enumerator.snapshotState(2).unassigned()).containsExactly(back);
        enumerator.addReader(1);

        assertThat(coordinator.assigned).containsExactly(Map.entry(1, List.of(back)));
        assertThat(coordinator.toldNoMore).containsExactly(1);
    }

    @Test
    void shouldGoOnFromACheckpoint() {
        NetioSplitEnumerator first = begin(splits(4));
        first.addReader(0);
        first.addSplitsBack(List.of(splits(4).get(0).at(new Position(9, 99))), 0);
        NetioEnumeratorState state = first.snapshotState(1);
        coordinator.forget();

        NetioSplitEnumerator restored = new NetioSplitEnumerator(coordinator, splits(5), null, state);
        IntStream.range(0, 3).forEach(restored::addReader);

        // daq:4 is reader 0's, and in its state; daq:5 is new; daq:1 to daq:3 waited, and daq:1 had been read
        assertThat(coordinator.assigned.values().stream().flatMap(List::stream))
                .containsExactlyInAnyOrder(splits(1).get(0).at(new Position(9, 99)), split(2), split(3), split(5));
        assertThat(restored.snapshotState(2).known()).hasSize(5);
    }

    @Test
    void shouldNotAssignAgainWhatIsComplete() {
        NetioSplitEnumerator first = begin(splits(2));
        IntStream.range(0, 3).forEach(first::addReader);
        NetioEnumeratorState state = first.snapshotState(1);
        coordinator.forget();

        NetioSplitEnumerator restored = new NetioSplitEnumerator(coordinator, splits(2), null, state);
        IntStream.range(0, 3).forEach(restored::addReader);

        assertThat(coordinator.assigned).isEmpty();
        assertThat(coordinator.toldNoMore).hasSize(3);
    }

    @Test
    void shouldDropWhatIsNotConfiguredAnyMore() {
        NetioEnumeratorState state = begin(splits(3)).snapshotState(1);
        NetioSplitEnumerator restored = new NetioSplitEnumerator(coordinator, splits(1), null, state);
        IntStream.range(0, 3).forEach(restored::addReader);

        assertThat(coordinator.assigned).containsExactly(Map.entry(0, splits(1)));
    }

    @Test
    void shouldTellThatThereAreNoMoreWhenAllTagsAreDiscovered() {
        NetioSplitEnumerator enumerator = discovering(null);
        register(enumerator, 0, 1);
        enumerator.discovered(splits(2), null);

        assertThat(coordinator.assigned).containsExactly(Map.entry(0, List.of(split(1))), Map.entry(1, List.of(split(2))));
        assertThat(coordinator.toldNoMore).isEmpty();

        enumerator.discovered(List.of(split(3)), null);
        assertThat(coordinator.toldNoMore).containsExactlyInAnyOrder(0, 1);
        register(enumerator, 2);
        assertThat(coordinator.assigned.get(2)).containsExactly(split(3));
        assertThat(coordinator.toldNoMore).contains(2);
    }

    @Test
    void shouldKeepWhatWasDiscoveredBefore() {
        NetioSplitEnumerator first = discovering(null);
        first.discovered(splits(2), null);
        register(first, 0);
        NetioEnumeratorState state = first.snapshotState(1);
        assertThat(state.unassigned()).containsExactly(split(2));
        coordinator.forget();

        NetioSplitEnumerator restored = discovering(state);
        register(restored, 0, 1, 2);
        assertThat(coordinator.assigned.values()).containsExactly(List.of(split(2)));
        restored.discovered(splits(2), null);
        restored.discovered(splits(3), null);
        assertThat(coordinator.assigned.values().stream().flatMap(List::stream)).containsExactlyInAnyOrder(split(2), split(3));
        assertThat(coordinator.toldNoMore).hasSize(3);
    }

    @Test
    void shouldFailWhenTagsCannotBeDiscovered() {
        NetioSplitEnumerator enumerator = discovering(null);
        IllegalStateException why = new IllegalStateException("nobody is there");
        assertThatThrownBy(() -> enumerator.discovered(null, why)).hasCause(why);
    }

    private NetioSplitEnumerator discovering(@Nullable NetioEnumeratorState state) {
        return new NetioSplitEnumerator(coordinator, List.of(), new TagDiscovery.Config(
                List.of(split(1).endpoint(), split(2).endpoint()), 1,
                new Reconnects(0, Duration.ZERO, Duration.ZERO, client -> client)), state);
    }

    private void register(NetioSplitEnumerator enumerator, int... readers) {
        for (int reader : readers) {
            coordinator.registered.put(reader, new ReaderInfo(reader, "somewhere"));
            enumerator.addReader(reader);
        }
    }

    private NetioSplitEnumerator begin(List<NetioSplit> splits) {
        NetioSplitEnumerator enumerator = new NetioSplitEnumerator(coordinator, splits, null, null);
        enumerator.start();
        return enumerator;
    }

    private static List<NetioSplit> splits(int number) {
        return IntStream.rangeClosed(1, number).mapToObj(NetioSplitEnumeratorTest::split).toList();
    }

    private static NetioSplit split(int port) {
        return new NetioSplit(new NetioEndpoint("daq", port), 7, 7, null);
    }

    /** Keeps what the enumerator says. */
    private static final class Coordinator implements SplitEnumeratorContext<NetioSplit> {
        private final Map<Integer, List<NetioSplit>> assigned = new HashMap<>();
        private final Set<Integer> toldNoMore = new HashSet<>();
        private final List<Integer> ended = new ArrayList<>();
        private final Map<Integer, ReaderInfo> registered = new HashMap<>();
        private final int parallelism;

        Coordinator(int parallelism) {
            this.parallelism = parallelism;
        }

        void forget() {
            assigned.clear();
            toldNoMore.clear();
            registered.clear();
        }

        @Override
        public SplitEnumeratorMetricGroup metricGroup() {
            return UnregisteredMetricsGroup.createSplitEnumeratorMetricGroup();
        }

        @Override
        public void sendEventToSourceReader(int reader, SourceEvent event) {
            assertThat(event).isEqualTo(WhenAllAreOver.END);
            assertThat(registered).containsKey(reader);
            ended.add(reader);
        }

        @Override
        public int currentParallelism() {
            return parallelism;
        }

        @Override
        public Map<Integer, ReaderInfo> registeredReaders() {
            return registered;
        }

        @Override
        public void assignSplits(SplitsAssignment<NetioSplit> assignment) {
            assertThat(toldNoMore).doesNotContainAnyElementsOf(assignment.assignment().keySet());
            assignment.assignment().forEach((reader, splits) ->
                    assigned.computeIfAbsent(reader, none -> new ArrayList<>()).addAll(splits));
        }

        @Override
        public void signalNoMoreSplits(int reader) {
            toldNoMore.add(reader);
        }

        @Override
        public <T> void callAsync(Callable<T> callable, BiConsumer<T, Throwable> handler) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> void callAsync(Callable<T> callable, BiConsumer<T, Throwable> handler, long delay, long period) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void runInCoordinatorThread(Runnable action) {
            throw new UnsupportedOperationException();
        }
    }
}
