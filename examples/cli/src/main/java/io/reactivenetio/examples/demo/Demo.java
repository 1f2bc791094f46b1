// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.examples.cli.Patience;
import io.reactivenetio.examples.demo.event.Event;
import io.reactivenetio.examples.demo.event.EventBuilder;
import io.reactivenetio.examples.demo.event.EventMonitor;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import reactor.core.Disposable;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** One run: starts the detector, reads it out, builds events, and shows how it goes. */
final class Demo {
    /** With a slow consumer, the share of the nominal rate it takes. */
    private static final int SLOWER = 10;

    /** The least number of events per second: what is under way at the end must not take for ever. */
    private static final long SLOWEST = 100;
    private static final Duration GRACE = Patience.ofSeconds(20);

    private final DetectorSettings settings;
    private final String host;
    private final boolean slow;
    private final Readout readout;
    private final EventMonitor monitor = new EventMonitor();

    Demo(DetectorSettings settings, String host, boolean slow, Readout readout) {
        this.settings = settings;
        this.host = host;
        this.slow = slow;
        this.readout = readout;
    }

    /** Runs to the end. What goes wrong is an exception; what was found out is in the summary. */
    Summary run(View view) {
        Interruption interruption = new Interruption(view::close);
        try (DetectorProcess detector = new DetectorProcess(settings, host)) {
            showWhile(() -> await(detector), detector, view);
            Summary summary = Summary.of(detector.tallies(), sample(detector), settings);
            view.end(summary);
            return summary;
        } finally {
            view.close();
            interruption.callOff();
        }
    }

    private void showWhile(Runnable wait, DetectorProcess detector, View view) {
        Scheduler scheduler = Schedulers.newSingle("view", true);
        Disposable showing = Flux.interval(view.period(), scheduler).onBackpressureDrop()
                .subscribe(tick -> view.show(sample(detector)));
        boolean ended = false;
        try {
            wait.run();
            ended = true;
        } finally {
            showing.dispose();
            scheduler.disposeGracefully().block(Patience.ofSeconds(10)); // a frame may wait for a CPU
            if (!ended) {
                view.show(sample(detector)); // how far it came
            }
        }
    }

    private Sample sample(DetectorProcess detector) {
        return Sample.of(readout, monitor, detector.status());
    }

    /** Waits for the last event and for the detector. If the detector dies, that is the error, whatever else it leads to. */
    private void await(DetectorProcess detector) {
        Duration limit = Duration.ofMillis((long) (settings.seconds * 1000)).plus(GRACE);
        try {
            Mono.when(events(detector).then(Mono.fromRunnable(detector::dismiss)), detector.finished()).timeout(limit).block();
        } catch (RuntimeException e) {
            Throwable cause = Exceptions.unwrap(e);
            if (cause instanceof TimeoutException) {
                throw new DetectorProcess.DetectorFailedException("no end after " + limit.toSeconds() + " s: "
                        + monitor.events() + " events so far");
            }
            detector.finished().timeout(Duration.ofSeconds(2), Mono.empty()).block();
            throw e;
        }
    }

    private Flux<Event> events(DetectorProcess detector) {
        return detector.address()
                .flatMapMany(address -> EventBuilder.build(readout.subscribe(address)))
                .transform(built -> slow ? EventBuilder.slowedTo(Math.max(SLOWEST, settings.rate / SLOWER), built) : built)
                .doOnNext(monitor::add);
    }
}
