// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.lease.TagDecoder;
import io.reactivenetio.lease.TaggedBuffer;
import io.reactivenetio.receive.ElementMapper;
import io.reactivenetio.receive.MessageRun;
import io.reactivenetio.transport.ReceivedBuffer;
import java.nio.ByteOrder;

/**
 * Has the user's decoder make something of each message, its tag and its status while the message, a {@link TaggedBuffer} if it
 * is in no run, is in its receive buffer. On the loop.
 */
record TagDecoderMapper<T>(TagDecoder<? extends T> decoder, ByteOrder order) implements ElementMapper<T> {

    @Override
    public T map(ReceivedBuffer buffer) {
        TaggedBuffer message = (TaggedBuffer) buffer;
        return decoder.decode(message.tag(), message.status(), message.data().order(order));
    }

    @Override
    public T map(MessageRun run) {
        return decoder.decode(run.tag(), run.status(), run.data().order(order));
    }
}
