// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/**
 * Stands in for a detector: a trigger, and links that publish a fragment of each event, each link with the tag of its number. A
 * trigger that finds a link's FIFO full is vetoed. It runs on a loop of its own, and can be killed and revived. Any thread.
 */
public final class SimulatedDetector implements Detector, AutoCloseable {
    /** What it can do. */
    static final int MOST_RATE = 3_000;

    /** How many messages of a link wait for each subscription. */
    static final int QUEUE = 32;
    private static final Duration TICK = Duration.ofMillis(5);
    private static final double MOST_IN_A_TICK = SimulatedLink.FIFO / 4.0;

    private final BackendType backend;
    private final double rate;
    private final List<SimulatedLink> links = IntStream.range(0, Fragment.LINKS).mapToObj(SimulatedLink::new).toList();
    // a readout that is stalled may be so for as long as somebody likes to watch
    private final NetioPublisher publisher = NetioPublisher.builder().queue(QUEUE).stallTimeout(Duration.ofDays(1)).build();
    private final int port;

    private @Nullable NetioLoops loops;
    private @Nullable Disposable trigger;
    private long lastTick;
    private double due;
    private volatile long events;
    private volatile long vetoed;

    /** Begins to take data, at {@code rate} triggers per second, and listens on a free port of 127.0.0.1. */
    SimulatedDetector(BackendType backend, double rate) {
        this.backend = backend;
        this.rate = rate;
        FragmentCodec codec = new FragmentCodec();
        for (int link = 0; link < Fragment.LINKS; link++) {
            publisher.publish(link, links.get(link).fragments(), codec);
        }
        port = start(0);
    }

    private int start(int wanted) {
        NetioLoops started = NetioLoops.create("detector", 1);
        try {
            int bound = publisher.serve(NetioServer.create().backend(backend).port(wanted).runOn(started)).bindNow().port();
            loops = started;
            lastTick = System.nanoTime();
            trigger = Flux.interval(TICK).onBackpressureDrop().subscribe(tick -> tick());
            return bound;
        } catch (RuntimeException e) {
            started.dispose();
            throw e;
        }
    }

    @Override
    public synchronized void kill() {
        if (loops != null && trigger != null) {
            trigger.dispose();
            loops.dispose();
            loops = null;
            links.forEach(SimulatedLink::clear);
        }
    }

    @Override
    public synchronized void revive() {
        if (loops == null) {
            start(port);
        }
    }

    private synchronized void tick() {
        if (loops == null) {
            return;
        }
        long now = System.nanoTime();
        for (due = Math.min(due + (now - lastTick) * rate / 1e9, MOST_IN_A_TICK); due >= 1; due--) {
            if (links.stream().anyMatch(SimulatedLink::isFull)) {
                vetoed++;
            } else {
                long event = events++;
                links.forEach(link -> link.add(event, now));
            }
        }
        lastTick = now;
    }

    @Override
    public boolean isSimulated() {
        return true;
    }

    @Override
    public synchronized boolean isAlive() {
        return loops != null;
    }

    int port() {
        return port;
    }

    @Override
    public Sample.Link link(int number, long received) {
        SimulatedLink link = links.get(number);
        return new Sample.Link(received, link.asked(), link.demand(), link.waiting(), SimulatedLink.FIFO);
    }

    @Override
    public long events() {
        return events;
    }

    @Override
    public long vetoed() {
        return vetoed;
    }

    @Override
    public void close() {
        kill();
        publisher.dispose();
    }
}
