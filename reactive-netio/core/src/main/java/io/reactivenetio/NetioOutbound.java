// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.nio.ByteBuffer;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** What leaves on a connection. */
public interface NetioOutbound {

    /**
     * Sends each element as one message. The upstream is asked for exactly as many elements as there are free send buffers; when
     * there are none ({@code NO_RESOURCES}) it is asked for nothing until some come back. An element's {@code remaining()} bytes
     * are copied before {@code onNext} returns and its position is left alone; heap and direct buffers alike.
     *
     * <p>The Mono completes when every element has been delivered to a receive buffer of the peer, not merely to the kernel. It
     * fails with {@link io.reactivenetio.transport.NetioAbortedException}, and the number of elements not known to be delivered,
     * when the connection ends first; with {@link io.reactivenetio.transport.MessageTooLargeException} at an element that does
     * not fit a send buffer; with the upstream's own error after sending what came before it. A cancel stops the upstream and
     * keeps the connection. Several sends share the connection message by message.
     */
    Mono<Void> send(Publisher<? extends ByteBuffer> messages);

    /**
     * Says that nothing more will be sent: with {@link RawEnd#EMPTY_MESSAGE} sends the empty message, and completes when it has
     * been delivered. To be subscribed to after the sends have completed. Otherwise completes at once.
     */
    Mono<Void> completeOutbound();
}
