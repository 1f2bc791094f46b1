// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.testing.AtFullScale;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.options.Options;

/** Runs every micro-benchmark once, in this JVM and without a warm-up. What it measures is worth nothing; that it does is not. */
@Timeout(300)
class MicroRunsTest {
    private static final Options ONCE = MicroRuns.length(0, 0, 1, 10);
    /** Each with the number of its variants. */
    private static final Map<String, Long> ALL = Map.ofEntries(Map.entry("PageBenchmark.write", 2L),
            Map.entry("PageBenchmark.read", 2L), Map.entry("StreamPageBenchmark.write", 2L),
            Map.entry("StreamPageBenchmark.read", 2L), Map.entry("SendBenchmark.send", 6L),
            Map.entry("ReceiveBenchmark.onNext", 6L), Map.entry("FullPageBenchmark.onNext", 6L),
            Map.entry("CodecBenchmark.encodeRecord", 2L),
            Map.entry("CodecBenchmark.decodeRecord", 2L), Map.entry("CodecBenchmark.encodeByHand", 2L),
            Map.entry("CodecBenchmark.decodeByHand", 2L), Map.entry("CodecBenchmark.encodeText", 2L),
            Map.entry("CodecBenchmark.decodeText", 2L),
            Map.entry("DemandBenchmark.requestInOnNext", 3L), Map.entry("DemandBenchmark.requestBesideLoop", 3L),
            Map.entry("LeaseBenchmark.takeAndClose", 3L), Map.entry("InboxBenchmark.oneOfMany", 1L),
            Map.entry("InboxBenchmark.alone", 1L), Map.entry("DelayBenchmark.scheduleAndCancel", 2L),
            Map.entry("TimerBenchmark.startAndStop", 1L), Map.entry("DowncallBenchmark.closeNothing", 1L),
            Map.entry("DowncallBenchmark.writeEventfd", 1L), Map.entry("FabricCallBenchmark.readEmptyQueue", 1L));

    @AtFullScale
    @Test
    void shouldGiveAResultForEveryBenchmark() {
        Collection<RunResult> results = MicroRuns.run(List.of(), ONCE, List.of(), false);
        assertThat(results.stream().collect(Collectors.groupingBy(MicroRunsTest::name, Collectors.counting()))).isEqualTo(ALL);
        assertThat(results).allSatisfy(result -> {
            assertThat(result.getPrimaryResult().getScore()).isPositive();
            assertThat(result.getPrimaryResult().getScoreUnit()).isEqualTo("ns/op");
        });
    }

    private static String name(RunResult result) {
        return result.getParams().getBenchmark().replaceFirst("^io\\.reactivenetio\\.micro\\.", "");
    }

    @Test
    void shouldSayThatThereIsNone() {
        assertThatThrownBy(() -> MicroRuns.run(List.of(Pattern.compile("NoSuchBenchmark")), ONCE, List.of(), false))
                .isInstanceOf(BenchFailedException.class).hasMessageContaining("no benchmark");
    }
}
