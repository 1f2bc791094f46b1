// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.connection.Connection;

/** Lets the tests of the API see what only the loop knows; to be asked on it. */
public final class StreamProbe {

    private StreamProbe() {
    }

    /** The peer's pages that are here: its messages are being read, or leased. */
    public static int heldPages(Connection flow) {
        return ((StreamSession) flow.session()).heldPages();
    }

    /** Has {@code writing} run where control frames are written into a page. */
    public static void whenWriting(Connection flow, Runnable writing) {
        ((StreamSession) flow.session()).pages().add(page -> {
            writing.run();
            return true;
        });
    }

    /** Bytes of messages that have begun to arrive and not ended. */
    public static long unfinishedBytes(Connection flow) {
        return ((StreamSession) flow.session()).unfinishedBytes();
    }

    /** Bytes of memory for them. */
    public static long unfinishedMemory(Connection flow) {
        return ((StreamSession) flow.session()).unfinishedMemory();
    }

    /** Tags that somebody sends to, or the peer is subscribed to. */
    public static int ports(Connection flow) {
        return ((StreamSession) flow.session()).ports();
    }
}
