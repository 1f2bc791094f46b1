// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.examples.cli.Patience;
import io.reactivenetio.examples.demo.event.FaultInjector;
import io.reactivenetio.pubsub.NetioPublisher;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** The simulated detector: a trigger, and N links, each a tag of one publisher. Takes data once all of them are subscribed to. */
final class Detector implements AutoCloseable {
    /** Fragments that wait on each link for the readout to ask: few, so that little is under way when it is slow. */
    static final int QUEUE = 128;

    private static final int PAGE = 16_384;
    private static final int PAGES = 32;
    /** The readout sends nothing but what it asks for. */
    private static final int CONTROL_PAGE = 1_024;
    private static final int CONTROL_PAGES = 8;

    private final DetectorSettings settings;
    private final Trigger trigger;
    private final List<DetectorLink> links;
    private final Scheduler scheduler = Schedulers.newSingle("trigger", true);
    // a slow readout must hold the trigger back, which counts what it then loses: nothing is dropped in between
    private final NetioPublisher publisher = NetioPublisher.create(SlowPolicy.BACKPRESSURE, QUEUE);
    private final DisposableServer server;

    /** Listens on {@code host}; {@code onConnection} is given each connection. */
    Detector(DetectorSettings settings, String host, Consumer<NetioConnection> onConnection) {
        this.settings = settings;
        trigger = new Trigger(settings.seconds, settings.rate);
        links = IntStream.range(0, settings.links).mapToObj(this::link).toList();
        Flux<Long> triggers = trigger.counts(scheduler, this::slowest, settings.links);
        links.forEach(link -> publisher.publish(link.number(), link.fragments(triggers)));
        try {
            server = publisher.serve(NetioServer.create().provider(settings.provider).host(host)
                    .sendBuffers(PAGE, PAGES).receiveBuffers(CONTROL_PAGE, CONTROL_PAGES))
                    .doOnConnection(onConnection).bindNow(Patience.ofSeconds(10));
        } catch (RuntimeException e) {
            scheduler.dispose();
            throw e;
        }
    }

    private DetectorLink link(int number) {
        long seed = settings.seed * 1_000_003 + number;
        return new DetectorLink(number, new HitGenerator(settings.hits, seed), new FaultInjector(settings.faults, ~seed),
                trigger::busy);
    }

    private long slowest() {
        long least = Long.MAX_VALUE;
        for (DetectorLink link : links) {
            least = Math.min(least, link.sent());
        }
        return least;
    }

    InetSocketAddress address() {
        return (InetSocketAddress) server.address();
    }

    /** Completes when the readout has asked for the last fragment of every link. */
    Mono<Void> published() {
        return Mono.when(links.stream().map(DetectorLink::published).toList());
    }

    DetectorStatus status() {
        return trigger.status(links.stream().map(DetectorLink::stalls).toList());
    }

    /** What the links have done; final once all is published. */
    List<LinkTally> tallies() {
        return links.stream().map(DetectorLink::tally).toList();
    }

    @Override
    public void close() {
        server.dispose();
        publisher.dispose();
        scheduler.dispose();
    }
}
