// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.nio.ByteBuffer;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** What leaves on a connection. */
public interface NetioOutbound {

    /** The connection that this is, or is on. */
    NetioConnection connection();

    /**
     * Sends each element as one message. The upstream is asked for no more elements than the peer has asked for; with {@link
     * Framing#PAGE}, for what about 256 KiB can hold; with {@link Framing#RAW}, for exactly as many as there are free send
     * buffers, and for nothing while there are none ({@code NO_RESOURCES}). An element's bytes are copied before {@code
     * onNext} returns and its position is left alone; heap and direct buffers alike.
     *
     * <p>The Mono completes when every element has been delivered, see {@link SendCompletion#DELIVERED}. It
     * fails with {@link io.reactivenetio.transport.NetioAbortedException}, and the number of elements not known to be delivered,
     * when the connection ends first, or the peer cancels; with {@link io.reactivenetio.transport.MessageTooLargeException} at an
     * element that is larger than the peer takes, or with RAW framing does not fit a send buffer; with the upstream's own error
     * after sending what came before it. A cancel stops the upstream and keeps the connection. Several sends share the connection
     * message by message.
     *
     * <p>What cannot be sent, because the connection is over, or the peer wants no more of it or was told the end, is told within
     * the loop's turn, but never within the subscription: {@code retry()} without a pause keeps the loop busy, and lets others
     * have their turn.
     */
    Mono<Void> send(Publisher<? extends ByteBuffer> messages);

    /**
     * The same, completing when {@code completion} says. With {@link SendCompletion#TRANSMITTED} the Mono does not wait for the
     * peer, and a failure counts the elements that had not left. How much is under way at a time is then limited by send buffers
     * and the kernels' socket buffers only: a slow receiver is felt later.
     */
    Mono<Void> send(Publisher<? extends ByteBuffer> messages, SendCompletion completion);

    /**
     * Sends each element under its tag and with its status; otherwise as {@link #send(Publisher)}, whose messages have status 0
     * and the stream's tag, which for a connection is 0. With {@link Framing#RAW} the Mono fails with {@link
     * io.reactivenetio.transport.NotSupportedException}. The order of messages is kept, whatever their tags.
     */
    Mono<Void> sendTagged(Publisher<TaggedMessage> messages);

    /** The same, completing when {@code completion} says. */
    Mono<Void> sendTagged(Publisher<TaggedMessage> messages, SendCompletion completion);

    /**
     * With {@link Framing#RAW}: sends each slice as one message, without copying it: its header, if it has one, then what remains
     * in its buffer at this moment. All slices are of the region that the server or client was given with {@code region(…)}. In
     * order with what else is sent, message by message.
     *
     * <p>From {@code onNext} on a slice is the connection's: its memory must not change, and it cannot be sent again, until it is
     * {@linkplain RegionSlice#onReusable told to be reusable}; that happens exactly once each time, also if the send fails or is
     * cancelled or the connection ends. The upstream is asked for no more than zero-copy sends are free.
     *
     * <p>Completes and fails as {@link #send(Publisher)} does, besides with
     * {@link io.reactivenetio.transport.NotSupportedException} on a connection with another framing or without a region,
     * {@link IllegalArgumentException} at a slice of another region or with more parts than the provider gathers,
     * {@link IllegalStateException} at one that is being sent already or whose region is closed, and
     * {@link io.reactivenetio.transport.MessageTooLargeException} at one that is larger than {@code region(…)} allows.
     */
    Mono<Void> sendRegion(Publisher<? extends RegionSlice> slices);

    /** The same, completing when {@code completion} says. */
    Mono<Void> sendRegion(Publisher<? extends RegionSlice> slices, SendCompletion completion);

    /**
     * Says that nothing more will be sent, so that {@code receive()} of the peer completes, and completes when the peer knows.
     * Called again, it says nothing new and completes when the peer knows, too. On a {@link NetioStream} that is the subscription
     * that the peer has, or as long as the peer does not know its end, the one before; if there is none, the next.
     * With {@link Framing#RAW} that is the empty message of {@link RawEnd#EMPTY_MESSAGE}, to be subscribed to after the sends
     * have completed; with another {@link RawEnd} there is no way to say so, and it completes at once.
     */
    Mono<Void> completeOutbound();
}
