// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.nio.ByteBuffer;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/**
 * What arrives on a connection. One subscriber in all: a second one gets an {@link IllegalStateException}.
 *
 * <p>Demand is what lets the peer send: its upstream is asked for what is asked for here. With {@link Framing#RAW}, messages that
 * arrive while there is none stay in their receive buffers; when all are full, the peer's sends stop completing, and nothing is
 * lost or queued anywhere else. Signals come on the loop's thread.
 */
public interface NetioInbound {

    /** The connection that this is, or is on: a handler finds the peer's address there, the loop's Scheduler, other streams. */
    NetioConnection connection();

    /**
     * Each message as a heap buffer of its own, safe with every operator: costs one copy and one allocation per message. Its byte
     * order is that of every new ByteBuffer, big-endian; the buffers of decoders and leases are little-endian.
     */
    Flux<ByteBuffer> receive();

    /**
     * Each message decoded in place, on the loop, while it is still in its receive buffer: no copy, no allocation but the
     * decoder's own. The buffer (little-endian, position 0 to limit) must not be kept: after the decoder returns it receives
     * another message. {@code -Dio.reactivenetio.checkBuffers=true}, meant for tests, makes a buffer that was kept throw. What
     * the decoder throws ends the Flux with that error; null is not allowed.
     */
    <T> Flux<T> receive(Function<? super ByteBuffer, ? extends T> decoder);

    /**
     * The same for a decoder that is given the message's tag and status, too. With {@link Framing#PAGE}, and STREAM, where the
     * status is 0 and the tag the stream's unless the sender said otherwise ({@link NetioOutbound#sendTagged}).
     *
     * @return with RAW framing, a Flux that fails with {@link io.reactivenetio.transport.NotSupportedException}
     */
    <T> Flux<T> receiveTagged(TaggedDecoder<? extends T> decoder);

    /**
     * Each message with its tag and status, copied as {@link #receive()} does, and big-endian like its buffers. Not with RAW
     * framing either.
     */
    default Flux<TaggedMessage> receiveTagged() {
        return receiveTagged(TaggedMessage::copyOf);
    }

    /**
     * Each message as a {@link Lease}: no copy, and it may be kept, on any thread, until the lease is given back. What is not
     * given back is a credit that the peer does not have; {@link LeasePolicy} says what happens when too many are out.
     *
     * <p>Operators that discard elements (filter, take, timeout, prefetching ones when cancelled) give their leases back only if
     * told so downstream of them: {@code .doOnDiscard(Lease.class, Lease::close)} as the last operator. In
     * {@link NetioServer#handle} and {@link #receiveLeased(Function)} that is done already. A function that throws while it has
     * a lease gives it back itself. For {@code publishOn} there is {@link Lease#scheduler}.
     */
    Flux<Lease> receiveLeased();

    /**
     * What {@code chain} makes of {@link #receiveLeased()}; every lease that its operators discard is given back, in lists,
     * tuples and signals, too. Of a connection, demand and cancel reach them on the loop, because an operator that is cancelled
     * on one thread while it gets an element on another may lose that. For the elements that leave the chain the subscriber is
     * responsible.
     */
    default <R> Flux<R> receiveLeased(Function<? super Flux<Lease>, ? extends Publisher<R>> chain) {
        Publisher<R> result = chain.apply(receiveLeased());
        return DiscardedLeases.closed(Flux.from(result));
    }
}
