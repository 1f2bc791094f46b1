// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.send.SliceState;
import io.reactivenetio.transport.CompletionLevel;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** The session of a framing that adds nothing to a message, so that slices of a region can be sent from where they are. */
public interface RegionSession extends Session {

    /** Sends what {@code states} finds in each element, from where it is. Any thread. */
    <T> Mono<Void> sendSlices(Publisher<? extends T> slices, CompletionLevel level, Function<? super T, SliceState> states);
}
