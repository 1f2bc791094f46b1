// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.nio.ByteBuffer;
import java.util.function.Function;
import reactor.core.publisher.Flux;

/**
 * What arrives on a connection. One subscriber in all: a second one gets an {@link IllegalStateException}.
 *
 * <p>Demand is what lets the peer send. Messages that arrive while there is none stay in their receive buffers; when all are
 * full, the peer's sends stop completing, and nothing is lost or queued anywhere else. Signals come on the loop's thread.
 */
public interface NetioInbound {

    /** Each message as a heap buffer of its own, safe with every operator: costs one copy and one allocation per message. */
    Flux<ByteBuffer> receive();

    /**
     * Each message decoded in place, on the loop, while it is still in its receive buffer: no copy, no allocation but the
     * decoder's own. The buffer (little-endian, position 0 to limit) must not be kept: after the decoder returns it receives
     * another message. What the decoder throws ends the Flux with that error; null is not allowed.
     */
    <T> Flux<T> receive(Function<? super ByteBuffer, ? extends T> decoder);
}
