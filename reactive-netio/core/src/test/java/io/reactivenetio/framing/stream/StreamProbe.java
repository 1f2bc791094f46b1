// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.connection.Connection;

/** Lets the tests of the API see what only the loop knows; to be asked on it. */
public final class StreamProbe {

    private StreamProbe() {
    }

    /** The peer's pages that are here: its messages are being read, or leased. */
    public static int heldPages(Connection engine) {
        return ((StreamSession) engine.session()).heldPages();
    }

    /** Has {@code writing} run where control frames are written into a page. */
    public static void whenWriting(Connection engine, Runnable writing) {
        ((StreamSession) engine.session()).pages().add(page -> {
            writing.run();
            return true;
        });
    }

    /** Bytes of messages that have begun to arrive and not ended. */
    public static long unfinishedBytes(Connection engine) {
        return ((StreamSession) engine.session()).unfinishedBytes();
    }

    /** Bytes of memory for them. */
    public static long unfinishedMemory(Connection engine) {
        return ((StreamSession) engine.session()).unfinishedMemory();
    }

    /** Tags that somebody sends to, or the peer is subscribed to. */
    public static int ports(Connection engine) {
        return ((StreamSession) engine.session()).ports();
    }
}
