// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.receive.ElementMapper;
import io.reactivenetio.receive.MessageRun;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Makes a copy of each message, which the subscriber owns. On the loop. */
record CopyMapper(ByteOrder order) implements ElementMapper<ByteBuffer> {

    @Override
    public ByteBuffer map(MessageRun run) {
        return run.copy().order(order);
    }
}
