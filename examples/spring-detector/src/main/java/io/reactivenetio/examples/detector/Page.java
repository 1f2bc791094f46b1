// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import io.reactivenetio.examples.detector.Throttle.Pace;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** What the page gets as server-sent events, and what its buttons do. The page itself is in resources/static. */
@RestController
class Page {
    private static final Duration PERIOD = Duration.ofMillis(200);

    private final Detector detector;
    private final Readout readout;
    private final Monitor monitor;
    private final Journal journal;
    private final Sampler sampler;
    private @Nullable Sample last;
    private long takenNanos;
    private final Sinks.Empty<Void> closing = Sinks.empty();

    Page(Detector detector, Readout readout, Monitor monitor, Journal journal, Sampler sampler) {
        this.detector = detector;
        this.readout = readout;
        this.monitor = monitor;
        this.journal = journal;
        this.sampler = sampler;
    }

    /**
     * A browser that is slow misses samples, and no other waits for it. Each has a clock of its own: with share() a browser that
     * comes at the moment in which the last one goes may get an error, or nothing at all.
     */
    @GetMapping(path = "/samples", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<Sample> samples() {
        return Flux.interval(Duration.ZERO, PERIOD).onBackpressureDrop().map(tick -> sample())
                .takeUntilOther(closing.asMono()).onBackpressureLatest();
    }

    /** One that is younger than half a period is for all browsers. */
    private synchronized Sample sample() {
        Sample known = last;
        long now = System.nanoTime();
        if (known != null && now - takenNanos < PERIOD.toNanos() / 2) {
            return known;
        }
        Sample taken = sampler.sample();
        last = taken;
        takenNanos = now;
        return taken;
    }

    @PostMapping("/consumers/{name}/{pace}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void pace(@PathVariable String name, @PathVariable Pace pace) {
        Throttle throttle = switch (name) {
            case "readout" -> readout.throttle;
            case "monitor" -> monitor.throttle;
            default -> throw new ResponseStatusException(HttpStatus.NOT_FOUND, "no consumer " + name);
        };
        if (throttle.set(pace)) {
            journal.add("the " + name + " is " + pace.name().toLowerCase(Locale.ROOT));
        }
    }

    @PostMapping("/detector/kill")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    Mono<Void> kill() {
        return change(true, "the detector is killed", detector::kill);
    }

    @PostMapping("/detector/revive")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    Mono<Void> revive() {
        return change(false, "the detector is revived", detector::revive);
    }

    /** It blocks, so it has a thread that may. */
    private Mono<Void> change(boolean alive, String text, Runnable action) {
        if (!detector.isSimulated()) {
            throw new ResponseStatusException(HttpStatus.CONFLICT, "the detector is not simulated");
        }
        return Mono.<Void>fromRunnable(() -> {
            if (detector.isAlive() == alive) {
                journal.add(text);
                action.run();
            }
        }).subscribeOn(Schedulers.boundedElastic());
    }

    /** When the application stops it finishes what has arrived, nobody stalls it, and browsers are told that this was all. */
    @EventListener(ContextClosedEvent.class)
    void letGo() {
        closing.tryEmitEmpty();
        readout.throttle.set(Pace.FAST);
        monitor.throttle.set(Pace.FAST);
    }
}
