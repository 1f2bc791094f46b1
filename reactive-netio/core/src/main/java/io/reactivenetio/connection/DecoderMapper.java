// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.receive.ElementMapper;
import io.reactivenetio.receive.MessageRun;
import io.reactivenetio.transport.ReceivedBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Function;

/** Has the user's decoder make something of each message while that is in its receive buffer. On the loop. */
record DecoderMapper<T>(Function<? super ByteBuffer, ? extends T> decoder, ByteOrder order) implements ElementMapper<T> {

    @Override
    public T map(ReceivedBuffer buffer) {
        return decoder.apply(buffer.data().order(order));
    }

    @Override
    public T map(MessageRun run) {
        return decoder.apply(run.data().order(order));
    }
}
