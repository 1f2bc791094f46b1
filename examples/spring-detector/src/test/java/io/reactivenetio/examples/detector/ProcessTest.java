// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.ConnectionState.Status;
import io.reactivenetio.testing.AtFullScale;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How the application starts and ends. */
@Timeout(300)
class ProcessTest {
    private static final int INTERRUPTED = 130;
    /** What is on its way through the operators of a Flux when the application stops is given up, and counted. */
    private static final String GIVEN_UP = "listener readout.read has given up ";

    /** A browser's stream of samples completes, and is not cut off. */
    @Test
    void shouldEndWithASummaryAndWithoutWarnings() throws Exception {
        try (RunningApplication application = RunningApplication.start()) {
            CompletableFuture<Long> samples = application.samples().count().toFuture();
            application.await("events", sample -> sample.events().complete() > 500);
            assertThat(application.interrupt()).isEqualTo(INTERRUPTED);
            String said = application.output().stream().filter(line -> !line.contains(GIVEN_UP))
                    .collect(Collectors.joining("\n"));
            assertThat(said.replaceAll("[0-9]+(,[0-9]{3})*", "N")).isEqualTo("""
                    the page is at http://N.N.N.N:N/, Ctrl-C ends it

                    N events, N of them incomplete; N triggers vetoed
                    readout: received N, dropped N, missed N, connected N times
                    monitor: received N, dropped N, missed N, connected N times""");
            assertThat(samples.get(RunningApplication.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isPositive();
        }
    }

    @AtFullScale
    @Test
    void shouldEndSoonAlsoWhenItIsStalledOrHasNoDetector() throws Exception {
        for (String state : new String[] {"consumers/readout/STALLED", "detector/kill"}) {
            try (RunningApplication application = RunningApplication.start()) {
                application.await("events", sample -> sample.events().complete() > 100);
                application.post("consumers/monitor/STALLED");
                application.post(state);
                application.await(state, sample -> sample.source().vetoed() > 100 || !sample.source().alive());
                long begin = System.nanoTime();
                assertThat(application.interrupt()).isEqualTo(INTERRUPTED);
                assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(20)); // 30 if it waits
                assertThat(application.output().getLast()).startsWith("monitor: received ");
            }
        }
    }

    @AtFullScale
    @Test
    void shouldReadOutOverLibfabric() throws Exception {
        try (RunningApplication application = RunningApplication.start("--netio.backend=libfabric")) {
            application.await("events", sample -> sample.events().complete() > 500);
            application.post("detector/kill");
            application.await("lost", sample -> sample.consumers().getFirst().status() != Status.CONNECTED);
            application.post("detector/revive");
            long before = application.sample().events().complete();
            application.await("events again", sample -> sample.events().complete() > before + 500);
            assertThat(application.interrupt()).isEqualTo(INTERRUPTED);
        }
    }

    @AtFullScale
    @Test
    void shouldSayWhatIsWrongWithItsSettings() throws Exception {
        try (RunningApplication application = RunningApplication.start("--detector.rate=-1")) {
            assertThat(application.end()).isEqualTo(1);
            assertThat(String.join("\n", application.output())).contains("detector.rate", "1 to 3000").doesNotContain("\tat ");
        }
    }
}
