// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

/** How messages are put on a connection. Both sides are configured alike: it is never guessed. */
public enum Framing {
    /**
     * One message per buffer, nothing added, no handshake: any peer of the backend. Demand is posted receive buffers; {@link
     * RawEnd} says how a stream ends.
     */
    RAW,

    /**
     * Many messages per buffer, each with a 64-bit tag and a status byte, in the page format that netio3 documents; no
     * handshake. A page is a send buffer and has to fit the peer's receive buffers; a message has to fit a page with its header,
     * of 12 or 13 bytes. As with RAW the receiver's demand is its posted buffers, for all tags together: messages that nobody
     * asks for hold up those behind them. A cancel is felt as a peer that takes nothing more, and {@link RawEnd} says how a
     * stream ends.
     */
    PAGE,

    /**
     * Reactive Streams across the wire: the receiver's demand, cancel, completion and error are the sender's, exactly; many
     * streams share a connection ({@link NetioConnection#stream}), small messages share a page, and large ones take several. With
     * a handshake; docs/wire-format.md has the bytes. The default. No shared buffers, regions or {@link RawEnd}.
     */
    STREAM
}
