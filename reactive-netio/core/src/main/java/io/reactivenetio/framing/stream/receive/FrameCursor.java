// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream.receive;

import io.reactivenetio.connection.Connection;
import io.reactivenetio.framing.stream.page.SessionEnd;
import io.reactivenetio.wire.FrameReader;
import io.reactivenetio.wire.ProtocolException;

/** Goes through the frames of a page that has arrived, as long as the connection goes on. On the loop. */
public final class FrameCursor {
    private final Connection connection;
    private final FrameReader reader;
    private final SessionEnd end;

    public FrameCursor(Connection connection, FrameReader reader, SessionEnd end) {
        this.connection = connection;
        this.reader = reader;
        this.end = end;
    }

    /** The reader, which shows the current frame. */
    public FrameReader frame() {
        return reader;
    }

    /** Goes on to the next frame of the page. Returns false if there is none, or if the connection has ended. */
    public boolean next() throws ProtocolException {
        return !end.isDecided() && !connection.isDisposed() && reader.next();
    }
}
