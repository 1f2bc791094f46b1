// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.stream;

import io.reactivenetio.flow.ConnectionFlow;

/** Lets the tests of the API see what only the loop knows; to be asked on it. */
public final class StreamProbe {

    private StreamProbe() {
    }

    /** The peer's pages that are here: its messages are being read, or leased. */
    public static int heldPages(ConnectionFlow flow) {
        return ((StreamTraffic) flow.traffic()).heldPages();
    }

    /** Has {@code writing} run where control frames are written into a page. */
    public static void whenWriting(ConnectionFlow flow, Runnable writing) {
        ((StreamTraffic) flow.traffic()).pages().add(page -> {
            writing.run();
            return true;
        });
    }

    /** Bytes of messages that have begun to arrive and not ended. */
    public static long unfinishedBytes(ConnectionFlow flow) {
        return ((StreamTraffic) flow.traffic()).unfinishedBytes();
    }

    /** Bytes of memory for them. */
    public static long unfinishedMemory(ConnectionFlow flow) {
        return ((StreamTraffic) flow.traffic()).unfinishedMemory();
    }

    /** Tags that somebody sends to, or the peer is subscribed to. */
    public static int ports(ConnectionFlow flow) {
        return ((StreamTraffic) flow.traffic()).ports();
    }
}
