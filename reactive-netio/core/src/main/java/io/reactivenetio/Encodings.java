// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.connection.Connection;
import io.reactivenetio.send.Encoding;

/** Says how the values of a connection's typed methods are written. */
final class Encodings {

    private Encodings() {
    }

    /** What {@code encoder} writes, in the connection's byte order and up to the size of its messages. */
    static <T> Encoding<T> of(NetioEncoder<? super T> encoder, Connection connection) {
        return new Encoding<>(encoder.getClass(), encoder::size, encoder::encode, connection.config().byteOrder(),
                connection.session().largestMessage(), "send less, or allow more: with STREAM framing raise maxMessageSize there,"
                + " with RAW and PAGE framing use larger send buffers here");
    }
}
