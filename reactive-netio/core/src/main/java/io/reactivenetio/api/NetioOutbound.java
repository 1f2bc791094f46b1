// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NotSupportedException;
import java.nio.ByteBuffer;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** What leaves on a connection or stream. Methods may be called on any thread; the Monos signal on the loop's thread. */
public interface NetioOutbound {

    /**
     * Sends each element as one message. An element may be a heap or a direct buffer. Its bytes are copied before
     * {@code onNext} returns, and its position is not moved. With {@link io.reactivenetio.Framing#stream} the upstream is asked
     * for no more elements than the peer has asked for. With {@link io.reactivenetio.Framing#page} it is asked for what about 256
     * KiB can hold. With {@link io.reactivenetio.Framing#raw} it is asked for as many elements as there are free send buffers,
     * and for nothing while there are none ({@code NO_RESOURCES}). Several sends share the connection message by message. A
     * cancel stops the upstream and keeps the connection.
     *
     * <p>The Mono completes when every element has been delivered, see {@link SendCompletion#DELIVERED}. It fails
     * <ul>
     * <li>with {@link NetioAbortedException}, which has the number of elements not known to be
     *     delivered, when the connection ends first or the peer cancels;
     * <li>with {@link MessageTooLargeException} at an element that is larger than the peer takes, or
     *     with RAW and PAGE framing does not fit a send buffer;
     * <li>with {@link IllegalArgumentException} at an empty element if {@link io.reactivenetio.api.EndSignal#EMPTY_MESSAGE} is
     *     set;
     * <li>with {@link IllegalStateException} if the peer was told before that nothing more will be sent;
     * <li>with the upstream's own error, after sending the elements before it.
     * </ul>
     *
     * <p>A send that cannot begin fails at the end of the loop's turn, never within the subscription. So {@code retry()}
     * without a pause keeps the loop busy, but lets others have their turn.
     */
    Mono<Void> send(Publisher<? extends ByteBuffer> messages);

    /**
     * Returns this outbound with sends that complete when {@code completion} says; those of this one wait for
     * {@link SendCompletion#DELIVERED}. With {@link SendCompletion#TRANSMITTED} a send does not wait for the peer, and a failure
     * counts the elements that had not left. Only send buffers and the kernels' socket buffers then limit how much is under way,
     * so a slow receiver is felt later.
     */
    NetioOutbound completion(SendCompletion completion);

    /**
     * Sends each element as one message, which {@code encoder} writes, and otherwise as {@link #send(Publisher)} does. The
     * encoder writes in the {@linkplain io.reactivenetio.NetioTransport#byteOrder byte order} of the server or client, on the
     * thread that emits the element, into memory that each subscription has for itself and uses again. So nothing is allocated
     * for an element but what the encoder allocates.
     *
     * <p>The Mono also fails, after sending the elements before it,
     * <ul>
     * <li>with what the encoder throws, or an {@link IllegalStateException} that names its class if the buffer was too small;
     * <li>with {@link IllegalStateException} at an element for which the encoder writes fewer bytes than its {@code size} said;
     * <li>with {@link IllegalArgumentException} if that is negative;
     * <li>with {@link MessageTooLargeException} if that is more than can be sent, before the encoder writes anything.
     * </ul>
     */
    <T> Mono<Void> send(Publisher<? extends T> values, NetioEncoder<? super T> encoder);

    /**
     * Sends each value of each batch as one message, which {@code encoder} writes, in their order. Otherwise it does as the send
     * of values does. It is for sources of small messages that have many of them at once, or emit on another thread than the
     * loop: one signal is for a whole batch, and the encoder writes on the loop. A batch may be empty.
     *
     * <p>Up to four batches are asked for ahead, whatever their size. Nobody may change a batch from its emission on, until the
     * send has taken the last value of it and asks for one more, or has ended. Values that are not sent are discarded (see
     * {@link reactor.core.publisher.Flux#doOnDiscard}). With {@link io.reactivenetio.Framing#raw} each value is emitted by
     * itself, so there is nothing to gain.
     */
    <T> Mono<Void> sendBatches(Publisher<? extends Iterable<? extends T>> batches, NetioEncoder<? super T> encoder);

    /**
     * Sends each element with its tag and status, and otherwise as {@link #send(Publisher)} does. The messages of {@code send}
     * have status 0 and the stream's tag, or tag 0 on a connection. The order of messages is kept, whatever their tags. With
     * {@link io.reactivenetio.Framing#raw} the Mono fails with {@link NotSupportedException}.
     */
    Mono<Void> sendTagged(Publisher<TaggedMessage> messages);

    /**
     * With {@link io.reactivenetio.Framing#raw}: sends each slice as one message, without copying it. The message is the slice's
     * header, if it has one, and then what remains in its buffer when it is emitted. All slices are of the region that the server
     * or client was given with {@code region(…)}. Slices and other messages of the connection take turns, message by message. The
     * upstream is asked for no more slices than zero-copy sends are free.
     *
     * <p>The connection owns a slice from {@code onNext} on, until {@link RegionSlice#onReusable} is called. Until then the
     * slice's memory must not be changed, and the slice cannot be sent again. {@code onReusable} is called exactly once each
     * time, also if the send fails or is cancelled, or the connection ends.
     *
     * <p>The Mono completes and fails as that of {@link #send(Publisher)} does. It also fails
     * <ul>
     * <li>with {@link NotSupportedException} on a connection with another framing or without a region;
     * <li>with {@link IllegalArgumentException} at a slice of another region, or with more parts than the provider gathers;
     * <li>with {@link IllegalStateException} at a slice that is being sent already, or whose region is closed;
     * <li>with {@link MessageTooLargeException} at a slice that is larger than {@code region(…)}
     *     allows.
     * </ul>
     */
    Mono<Void> sendRegion(Publisher<? extends RegionSlice> slices);

    /**
     * Tells the peer that nothing more will be sent, so that its {@code receive()} completes. The Mono completes when the peer
     * knows. Subscribing again tells the peer nothing new, and completes when the peer knows, too.
     *
     * <p>On a {@link NetioStream} this ends the subscription that the peer has, or else the next one. As long as the peer does
     * not know the end of its last subscription, that one is meant. If the Mono is cancelled while it waits for a subscription,
     * it ends none.
     *
     * <p>With {@link io.reactivenetio.Framing#raw} and {@link io.reactivenetio.Framing#page} this sends the empty message of
     * {@link io.reactivenetio.api.EndSignal#EMPTY_MESSAGE}, so subscribe to it after the sends have completed. With another
     * {@link io.reactivenetio.api.EndSignal} there is no way to tell the peer, and the Mono completes at once.
     */
    Mono<Void> completeOutbound();
}
