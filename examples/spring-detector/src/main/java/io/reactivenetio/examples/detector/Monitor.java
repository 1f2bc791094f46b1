// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import io.reactivenetio.spring.annotation.NetioListener;
import java.util.concurrent.atomic.AtomicLongArray;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/** Counts the hits of each channel. It gets what it can take: when it is slow, the detector drops what it does not get. */
@Component
public class Monitor {
    final Throttle throttle = new Throttle();
    /** Hits by channel, those of link 0 first. */
    final AtomicLongArray hits = new AtomicLongArray(Fragment.LINKS * Fragment.CHANNELS);

    /** Called by the starter, for each fragment when the one before is done. */
    @NetioListener(tags = "${detector.links}", client = "monitor")
    public Mono<?> show(Fragment fragment) {
        return throttle.turn().doOnNext(turn -> {
            for (byte channel : fragment.hits()) {
                hits.incrementAndGet(fragment.link() * Fragment.CHANNELS + channel);
            }
        });
    }
}
