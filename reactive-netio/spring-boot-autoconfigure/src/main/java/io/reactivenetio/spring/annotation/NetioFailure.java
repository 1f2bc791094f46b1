// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import org.jspecify.annotations.Nullable;

/**
 * What a listener could not do.
 *
 * @param listener the id of the listener
 * @param kind what has failed
 * @param what the same in words, such as "a message of tag 7"
 * @param tag the tag of the message; 0 if it is none that has failed
 * @param status the status of the message; 0 if it is none that has failed
 * @param message the message as the method takes it: a ByteBuffer, TaggedMessage, Lease, or value; null if it could not be
 *     decoded, or is none. A Lease is given back when the handler returns.
 * @param attempts how often the method was called with the message
 * @param error what was thrown
 */
public record NetioFailure(String listener, Kind kind, String what, long tag, int status, @Nullable Object message,
        int attempts, Throwable error) {

    /** What can fail. */
    public enum Kind {
        /** A message could not be decoded. The method was not called with it. */
        DECODING,
        /** The method has failed with a message, also in the further attempts that it had. */
        MESSAGE,
        /** What the method made of its Flux has failed. It is called again with another Flux. */
        FLUX,
        /** A subscription has ended with an error that no reconnecting helps against. It is not made again. */
        SUBSCRIPTION
    }
}
