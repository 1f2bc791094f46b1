// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import java.nio.ByteBuffer;

/**
 * Messages that arrived together, as one element of {@link NetioInbound#receiveBatches()}: a cursor, which stands before the
 * first message. {@link #next} moves it to a message, which the other methods read.
 *
 * <p>A batch is valid within {@code onNext}, on the loop. Its subscriber reads it there and keeps nothing of it but copies. Any
 * method that is called later throws an {@link IllegalStateException}, because the object shows other messages then. So the
 * first operator reads the batch within its own {@code onNext}, as {@code map}, {@code handle} and {@code doOnNext} do. Operators
 * that may keep an element for later ({@code concatMap}, {@code flatMapIterable}, {@code buffer}) or pass it to another thread
 * come behind that. {@link #retain} keeps a message without a copy. Messages that nobody moves to are passed over and count as
 * delivered.
 */
public interface MessageBatch extends MessageBytes {

    /** Moves to the next message. Returns false if there is none, or the subscriber has cancelled. */
    boolean next();

    /**
     * Returns the message from position 0 to its limit, in the byte order of its server or client. The buffer shows another
     * message after {@link #next}.
     */
    ByteBuffer data();

    /**
     * Makes a lease on the message, which then stays in its receive buffer until the lease is given back, on any thread, under
     * the rules of {@link NetioInbound#receiveLeased()}. Each call makes another one. A batch cannot wait: where the policy is
     * {@link LeasePolicy#WAIT} and no further receive buffer may be leased, the lease is on a copy.
     *
     * @throws IllegalStateException if no further receive buffer may be leased, and the policy is {@link LeasePolicy#ERROR}
     */
    Lease retain();
}
