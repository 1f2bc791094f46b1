// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.send.SliceState;
import io.reactivenetio.transport.CompletionLevel;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** The session of a framing that adds nothing to a message, so that slices of a region are sent without copying them. */
public interface RegionSession extends Session {

    /**
     * Sends the slice that {@code states} finds in each element. The session owns the slice from {@code onNext} until its end is
     * told. Any thread.
     */
    <T> Mono<Void> sendSlices(Publisher<? extends T> slices, CompletionLevel level, Function<? super T, SliceState> states);
}
