// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioConnection;
import io.reactivenetio.RawEnd;
import io.reactivenetio.examples.cli.Patience;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** The simulated detector: a trigger and N links, each with a connection to the readout. */
final class Detector {
    /** Few, so that what is under way when the readout is slow is little. */
    private static final int SEND_BUFFERS = 32;

    /** How many events may wait in front of the slowest link: 50 ms of them, like the FIFO of real front-end electronics. */
    private static final double WINDOW_SECONDS = 0.05;
    private static final int MIN_WINDOW = 16;
    private static final int MAX_WINDOW = 1024;

    /** Seconds that the trigger takes to come up to its rate, as it does in an experiment; a young JVM likes it too. */
    private static final double RAMP = 1;
    private static final Duration TICK = Duration.ofMillis(1);
    private static final Duration STATUS_PERIOD = Duration.ofMillis(200);

    private final DetectorSettings settings;
    private final PrintStream out;

    Detector(DetectorSettings settings, PrintStream out) {
        this.settings = settings;
        this.out = out;
    }

    /** Connects, takes data, waits until all of it is delivered, and prints the tallies. */
    void run(String host, int port) {
        NetioClient client = NetioClient.create().host(host).port(port).provider(settings.provider).rawEnd(RawEnd.EMPTY_MESSAGE)
                .sendBuffers(FragmentCodec.MAX_SIZE, SEND_BUFFERS).receiveBuffers(FragmentCodec.MAX_SIZE, 2)
                .connectTimeout(Patience.ofSeconds(5));
        Scheduler scheduler = Schedulers.newSingle("trigger", true);
        Run run = new Run(client);
        try {
            run.send(scheduler).block();
            out.println(run.status().line());
            run.links.forEach(link -> out.println(link.tally().line()));
            out.flush();
        } finally {
            run.links.forEach(DetectorLink::close);
            scheduler.dispose();
        }
    }

    private long window() {
        return Math.clamp((long) (settings.rate * WINDOW_SECONDS), MIN_WINDOW, MAX_WINDOW);
    }

    /** One period of data taking. */
    private final class Run {
        final List<DetectorLink> links = new ArrayList<>();
        final TriggerClock clock;
        final long start;

        Run(NetioClient client) {
            List<NetioConnection> connections = new ArrayList<>();
            for (int i = 0; i < settings.links; i++) {
                connections.add(client.connectNow(Patience.ofSeconds(10)));
            }
            start = System.nanoTime();
            clock = new TriggerClock(start, Math.min(RAMP, settings.seconds / 2), settings.rate, window());
            for (int i = 0; i < settings.links; i++) {
                long seed = settings.seed * 1_000_003 + i;
                links.add(new DetectorLink(i, connections.get(i), new HitGenerator(settings.hits, seed),
                        new FaultInjector(settings.faults, ~seed), clock::busy));
            }
        }

        Mono<Void> send(Scheduler scheduler) {
            Flux<Long> triggers = Flux.interval(TICK, scheduler)
                    .onBackpressureDrop()
                    .map(tick -> clock.advance(System.nanoTime(), slowest()))
                    .takeUntil(events -> System.nanoTime() - start >= settings.seconds * 1e9)
                    .publish().refCount(settings.links);
            Disposable reporting = Flux.interval(STATUS_PERIOD).onBackpressureDrop().subscribe(t -> out.println(status().line()));
            return Mono.when(links.stream().map(link -> link.send(triggers)).toList())
                    .doFinally(end -> reporting.dispose());
        }

        long slowest() {
            long least = Long.MAX_VALUE;
            for (DetectorLink link : links) {
                least = Math.min(least, link.sent());
            }
            return least;
        }

        DetectorStatus status() {
            return new DetectorStatus((System.nanoTime() - start) / 1_000_000, clock.due(), clock.issued(), clock.lost(),
                    links.stream().map(DetectorLink::noResources).toList());
        }
    }
}
