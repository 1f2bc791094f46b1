// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.wire.FrameWriter;
import io.reactivenetio.wire.PageWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The messages and pages of the benchmarks, outside of the heap as those of a connection are. */
final class Memory {

    private Memory() {
    }

    static ByteBuffer message(int size) {
        return ByteBuffer.allocateDirect(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** An empty page of the usual size. */
    static ByteBuffer page() {
        return message(ConnectionParameters.DEFAULT_BUFFER_SIZE);
    }

    /** A page of PAGE framing with so many copies of {@code payload}, from position 0 to limit. */
    static ByteBuffer taggedPage(ByteBuffer payload, int messages) {
        ByteBuffer page = page();
        PageWriter writer = new PageWriter().begin(page);
        for (int i = 0; i < messages; i++) {
            writer.append(0, 0, payload.rewind());
        }
        return page.limit(writer.size());
    }

    /** A page of STREAM framing with so many messages; {@code writer} can write its header once more. */
    static ByteBuffer streamPage(FrameWriter writer, ByteBuffer payload, int messages) {
        ByteBuffer page = page();
        writer.begin(page);
        for (int i = 0; i < messages; i++) {
            writer.message(0, payload);
        }
        return page.limit(writer.finish(0, 0));
    }
}
