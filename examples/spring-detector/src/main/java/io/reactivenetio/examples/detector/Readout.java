// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import io.reactivenetio.spring.annotation.NetioListener;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Builds the events. It gets every fragment: when it is slow, the detector waits. */
@Component
public class Readout {
    final Throttle throttle = new Throttle();
    final List<LongAdder> received = Stream.generate(LongAdder::new).limit(Fragment.LINKS).toList();
    final LongAdder complete = new LongAdder();
    final LongAdder incomplete = new LongAdder();
    /** From the trigger until an event is taken, in microseconds. */
    final Histogram latencies = Histogram.logarithmic(10, 1e8, 5);
    /** Hits of complete events. */
    final Histogram sizes = Histogram.linear(0, 240, 30);
    volatile EventBuilder builder = new EventBuilder();

    /** Called by the starter, for each subscription. Its demand is what comes out at the end of this. */
    @NetioListener(tags = "${detector.links}", client = "readout")
    public Mono<Void> read(Flux<Fragment> fragments) {
        EventBuilder events = new EventBuilder();
        builder = events;
        return events.build(fragments.doOnNext(fragment -> received.get(fragment.link()).increment()))
                .concatMap(event -> throttle.turn().thenReturn(event), 1)
                .doOnNext(this::take)
                .then();
    }

    private void take(Event event) {
        if (event.isComplete()) {
            complete.increment();
            sizes.add(event.size());
            latencies.add((System.nanoTime() - event.time()) / 1e3);
        } else {
            incomplete.increment();
        }
    }
}
