// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import java.nio.ByteBuffer;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/**
 * What arrives on a connection or stream. A connection has one subscriber in all, whichever {@code receive…} method it comes by.
 * Any further one gets an {@link IllegalStateException}. {@link NetioStream} says which subscribers a stream may have.
 *
 * <p>Demand lets the peer send: its upstream is asked for as many messages as are requested here. With {@link
 * io.reactivenetio.Framing#raw}, messages that arrive without demand stay in their receive buffers. When all of these are full,
 * the peer's sends stop completing. Nothing is lost or queued anywhere else. Methods may be called on any thread; signals come on
 * the loop's thread.
 */
public interface NetioInbound {
    /** The most messages of a batch, unless said otherwise. */
    int DEFAULT_BATCH_SIZE = 1024;

    /** The connection that this is or belongs to. It has the peer's address, the loop's Scheduler and other streams. */
    NetioConnection connection();

    /**
     * Receives each message as a heap buffer of its own, which is safe with every operator. This costs one copy and one
     * allocation per message. The buffer has the {@linkplain io.reactivenetio.NetioTransport#byteOrder byte order} of its server
     * or client, which is big-endian unless set.
     */
    Flux<ByteBuffer> receive();

    /**
     * Receives what {@code decoder} makes of each message, on the loop, while the message is in its receive buffer. There is no
     * copy, and no allocation but the decoder's own. The decoder gets a buffer in the byte order of its server or client, from
     * position 0 to its limit, and must not keep it: it receives another message after the decoder returns. With {@code
     * -Dio.reactivenetio.checkBuffers=true}, which is meant for tests, a buffer that was kept throws. Without, the first message
     * is looked at, and one in 1,024 ({@code -Dio.reactivenetio.leaseSampling}): if the decoder returns its buffer, or a record
     * with it, a warning says so. The Flux fails with what the decoder throws. If that is a BufferUnderflowException or an
     * IndexOutOfBoundsException, its text tells the message's size and tag, and the peer. The decoder must not return null.
     * A stream that asks ahead of its subscriber calls the decoder for what came ahead, too, where the next operator takes
     * elements from a queue, as {@code publishOn} and {@code concatMap} do.
     */
    <T> Flux<T> receive(Function<? super ByteBuffer, ? extends T> decoder);

    /**
     * Receives what {@code decoder} makes of each message with its tag and status, under the rules of {@link #receive(Function)}.
     * With {@link io.reactivenetio.Framing#stream} the status is 0 and the tag is the stream's, unless the sender said otherwise
     * with {@link NetioOutbound#sendTagged}. With {@link io.reactivenetio.Framing#raw} the Flux fails with {@link
     * io.reactivenetio.transport.exceptions.NotSupportedException}, because messages have no tags.
     */
    <T> Flux<T> receiveTagged(TaggedDecoder<? extends T> decoder);

    /**
     * Receives each message with its tag and status, as a copy like that of {@link #receive()}. With
     * {@link io.reactivenetio.Framing#raw} the Flux fails with {@link
     * io.reactivenetio.transport.exceptions.NotSupportedException}.
     */
    Flux<TaggedMessage> receiveTagged();

    /**
     * Receives the messages that lie one behind the other in a receive buffer as one element, where they lie: the fastest way to
     * read many small messages, with one {@code onNext} for all of them and no object for any. A {@link MessageBatch} is valid
     * within {@code onNext} only, so what is kept of it is read in the first operator:
     * {@snippet :
     * inbound.receiveBatches().map(batch -> {
     *     long sum = 0;
     *     while (batch.next()) {
     *         sum += batch.getLong(0);
     *     }
     *     return sum;
     * });
     * }
     * A batch has {@value #DEFAULT_BATCH_SIZE} messages at most, and one request lets the peer send as many. With {@link
     * io.reactivenetio.Framing#raw}, where a buffer is a message, a batch has more than one only if they waited for demand.
     */
    default Flux<MessageBatch> receiveBatches() {
        return receiveBatches(DEFAULT_BATCH_SIZE);
    }

    /**
     * Receives batches of {@code most} messages at most. The peer is asked for {@code most} messages with each request, less what
     * former batches had room for.
     *
     * @throws IllegalArgumentException if {@code most} is below 1
     */
    Flux<MessageBatch> receiveBatches(int most);

    /**
     * Receives each message as a {@link Lease}, without a copy. The message may be kept, on any thread, until its lease is given
     * back. The peer has one credit less for each lease that is out. {@link LeasePolicy} says what happens when too many are.
     *
     * <p>Some operators discard elements: filter, take, timeout, and those that prefetch when they are cancelled. They give
     * leases back only if told so downstream of them, with {@code .doOnDiscard(Lease.class, Lease::close)} as the last
     * operator. {@link io.reactivenetio.NetioTransport#handle} and {@link #receiveLeased(Function)} do that by themselves. A
     * function that throws has to give back the lease that it has. For {@code publishOn} there is {@link Lease#scheduler}.
     */
    Flux<Lease> receiveLeased();

    /**
     * Receives what {@code chain} makes of {@link #receiveLeased()}. Every lease that the operators of the chain discard is given
     * back, in lists, tuples and signals, too. On connections and streams, demand and cancel reach the operators on the loop,
     * because an operator that is cancelled on one thread while it gets an element on another may lose the element. The
     * subscriber gives back the leases that leave the chain.
     */
    <R> Flux<R> receiveLeased(Function<? super Flux<Lease>, ? extends Publisher<R>> chain);
}
