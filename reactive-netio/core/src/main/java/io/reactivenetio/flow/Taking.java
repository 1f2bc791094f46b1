// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import io.reactivenetio.transport.ReceivedBuffer;
import java.util.Objects;
import java.util.function.Function;

/** Hands over what a function makes of the message and of what is said of it. */
record Taking<T>(Function<? super ReceivedBuffer, ? extends T> taker) implements Handover<T> {

    @Override
    public boolean admits(ReceivedBuffer buffer) {
        return true;
    }

    @Override
    public T take(ReceivedBuffer buffer) {
        return Objects.requireNonNull(taker.apply(buffer), "the decoder returned null");
    }
}
