// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import io.reactivenetio.transport.ReceivedBuffer;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.Function;

/** Hands over what a function makes of the message while that is still in its receive buffer. */
record Decoding<T>(Function<? super ByteBuffer, ? extends T> decoder) implements Handover<T> {

    @Override
    public boolean admits(ReceivedBuffer buffer) {
        return true;
    }

    @Override
    public T take(ReceivedBuffer buffer) {
        return Objects.requireNonNull(decoder.apply(buffer.data()), "the decoder returned null");
    }
}
