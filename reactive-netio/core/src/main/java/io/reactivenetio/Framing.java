// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.NetioConnection;

/**
 * The ways in which messages are put on a connection: {@link #stream}, which is the default, {@link #page} and {@link #raw}. Each
 * has settings of its own. Both sides must be configured alike: the framing is never guessed.
 */
public final class Framing {

    private Framing() {
    }

    /**
     * One message per buffer, with nothing added and no handshake. The peer can be any program that uses the same transport. The
     * receiver's demand is its posted receive buffers. {@link EndSignal} says how a stream ends.
     */
    public static RawFraming raw() {
        return RawFraming.DEFAULT;
    }

    /**
     * Many messages per buffer, each with a 64-bit tag and a status byte, in the page format that netio3 documents, without a
     * handshake. A page is a send buffer and has to fit the peer's receive buffers. A message has to fit a page with its header
     * of 12 or 13 bytes. As with RAW the receiver's demand is its posted receive buffers, for all tags together: messages that
     * nobody asks for hold up those behind them. The sender sees a cancel only as a peer that takes nothing more. {@link
     * EndSignal} says how a stream ends.
     */
    public static PageFraming page() {
        return PageFraming.DEFAULT;
    }

    /**
     * Reactive Streams across the wire, and the default. The receiver's demand and cancel reach the sender exactly, and so do
     * the sender's completion and error the receiver. Many streams share a connection, see {@link NetioConnection#stream}. Small
     * messages share a page, and large ones take several. Both sides begin with a handshake; docs/wire-format.md has the bytes.
     * There are no shared buffers, regions or {@link EndSignal}.
     */
    public static StreamFraming stream() {
        return StreamFraming.DEFAULT;
    }
}
