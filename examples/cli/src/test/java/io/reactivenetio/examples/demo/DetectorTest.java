// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.examples.demo.event.EventBuilder;
import io.reactivenetio.examples.demo.event.EventMonitor;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.TestSettings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The detector and its readout in one process, where the connection between them can be cut. */
@Timeout(180)
class DetectorTest {

    private final List<NetioConnection> connections = new CopyOnWriteArrayList<>();
    private final EventMonitor monitor = new EventMonitor();
    private final DetectorSettings settings = settings();
    private final Detector detector = new Detector(settings, TestSettings.ADDRESS, connections::add);
    private final Readout readout = new Readout(settings.provider, settings.links, settings.hits);

    private static DetectorSettings settings() {
        DetectorSettings settings = new DetectorSettings();
        settings.links = 3;
        settings.seconds = 2;
        settings.rate = 10_000;
        settings.hits = 8;
        settings.faults = 3;
        settings.seed = 7;
        settings.provider = TestSettings.PROVIDER;
        return settings;
    }

    @AfterEach
    void stop() {
        detector.close();
    }

    private Summary summary() {
        return Summary.of(detector.tallies(), Sample.of(readout, monitor, detector.status()), settings);
    }

    @Test
    void shouldTakeAllLinksOverOneConnection() {
        EventBuilder.build(readout.subscribe(detector.address())).doOnNext(monitor::add).blockLast(PATIENCE);

        assertThat(summary().complaints()).isEmpty();
        assertThat(monitor.events()).isPositive();
        assertThat(connections).hasSize(1);
        assertThat(readout.reconnects()).isZero();
    }

    /**
     * On the readout's loop, which asks for nothing meanwhile: until the detector has so much more than it was asked for that it
     * loses triggers, or until it takes no more data. It may have been out of demand before: then it does not stall again.
     */
    private void awaitMoreThanMayArrive() {
        long lost = detector.status().lost();
        Eventually.within(Duration.ofMinutes(5), () -> detector.status().lost() != lost
                || detector.status().millis() >= settings.seconds * 1_000);
    }

    /** What was under way is lost, and counted; what comes after it still makes events that belong together. */
    @Test
    void shouldGoOnAfterALostConnectionAndKnowWhatIsMissing() {
        EventBuilder.build(readout.subscribe(detector.address())).doOnNext(monitor::add)
                .doOnNext(event -> {
                    if (event.number() == 500) {
                        awaitMoreThanMayArrive();
                        connections.getFirst().dispose();
                    }
                }).blockLast(PATIENCE);
        detector.published().block(PATIENCE);

        assertThat(connections).hasSize(2);
        assertThat(readout.reconnects()).isEqualTo(1);
        assertThat(monitor.events()).isEqualTo(detector.status().issued()).isGreaterThan(500);
        assertThat(monitor.misaligned()).isZero();
        for (LinkTally tally : detector.tallies()) {
            ReadoutLink link = readout.links().get(tally.link());
            assertThat(link.received() + link.missing()).isEqualTo(tally.sent());
            assertThat(link.misplaced()).isZero();
        }
        Summary summary = summary();
        // as a rule nothing: what had arrived is delivered, and what the detector had not sent is kept for the next connection
        long missed = summary.links().stream().filter(link -> link.seen().missing() > 0).count();
        assertThat(summary.complaints()).hasSize((int) missed)
                .allMatch(complaint -> complaint.matches("link \\d missed \\d+ fragments"));
        assertThat(summary.lines(80, false)).anyMatch(line -> line.toString().contains("reconnects 1"));
    }
}
