// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.receive.ElementMapper;
import io.reactivenetio.receive.MessageRun;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Function;

/** Has the user's decoder make something of each message while that is in its receive buffer. On the loop. */
record DecoderMapper<T>(Function<? super ByteBuffer, ? extends T> decoder, ByteOrder order, DecoderWatch watch)
        implements ElementMapper<T> {

    @Override
    public T map(MessageRun run) {
        ByteBuffer message = run.data().order(order);
        try {
            return watch.made(decoder.apply(message), message);
        } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
            throw watch.failed(e, run);
        }
    }
}
