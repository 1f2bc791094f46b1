// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.connection.Connection;
import io.reactivenetio.wire.FrameReader;
import io.reactivenetio.wire.ProtocolException;

/** Goes through the frames of a page that has arrived, as long as the connection goes on. On the loop. */
final class FrameCursor {
    private final Connection connection;
    private final FrameReader reader;
    private final SessionEnd end;

    FrameCursor(Connection connection, FrameReader reader, SessionEnd end) {
        this.connection = connection;
        this.reader = reader;
        this.end = end;
    }

    /** The reader, which shows the current frame. */
    FrameReader frame() {
        return reader;
    }

    /** Goes on to the next frame of the page. Returns false if there is none, or if the connection has ended. */
    boolean next() throws ProtocolException {
        return !end.isDecided() && !connection.isDisposed() && reader.next();
    }
}
