// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.api.RegionSlice;
import io.reactivenetio.transport.SendCompletion;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** The session of a framing that adds nothing to a message, so that slices of a region are sent without copying them. */
public interface RegionSession extends Session {

    /**
     * Sends each slice. The session owns it from {@code onNext} until its end is told. Any thread.
     */
    Mono<Void> sendSlices(Publisher<? extends RegionSlice> slices, SendCompletion level);
}
