// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import io.reactivenetio.api.ConnectionState;
import io.reactivenetio.api.NetioStatistics;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.SubscriberStatistics;
import io.reactivenetio.spring.NetioClients;
import java.util.List;
import java.util.stream.IntStream;
import org.springframework.stereotype.Component;

/** Takes samples of all that the page shows. Any thread. */
@Component
final class Sampler {
    private final Detector detector;
    private final Readout readout;
    private final Monitor monitor;
    private final NetioClients clients;
    private final ClientMetrics metrics;
    private final Journal journal;

    Sampler(Detector detector, Readout readout, Monitor monitor, NetioClients clients, ClientMetrics metrics,
            Journal journal) {
        this.detector = detector;
        this.readout = readout;
        this.monitor = monitor;
        this.clients = clients;
        this.metrics = metrics;
        this.journal = journal;
    }

    Sample sample() {
        List<Long> latencies = readout.latencies.counts(); // before the events, each of which is counted before its latency
        return new Sample(System.nanoTime() / 1e9,
                new Sample.Source(detector.isSimulated(), detector.isAlive(), detector.events(), detector.vetoed()),
                IntStream.range(0, Fragment.LINKS).mapToObj(number ->
                        detector.link(number, readout.received.get(number).sum())).toList(),
                List.of(consumer("readout", readout.throttle), consumer("monitor", monitor.throttle)),
                new Sample.Events(readout.complete.sum(), readout.incomplete.sum(), readout.builder.open(),
                        readout.builder.strays()),
                Fragment.CHANNELS, IntStream.range(0, monitor.hits.length()).mapToObj(monitor.hits::get).toList(),
                latencies, readout.sizes.counts(), journal.lines());
    }

    private Sample.Consumer consumer(String name, Throttle throttle) {
        NetioSubscriber subscriber = clients.subscriber(name);
        ConnectionState state = subscriber.state();
        SubscriberStatistics counts = subscriber.statistics();
        NetioStatistics connection = metrics.statistics(name);
        Throwable reason = state.reason();
        return new Sample.Consumer(name, throttle.pace(), state.status(), state.since(),
                reason == null ? null : reason.getMessage(), counts.connections(), counts.received(), counts.dropped(),
                counts.missed(), connection.total().credits(), connection.total().creditsInUse());
    }
}
