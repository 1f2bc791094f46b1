// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

/** How messages are put on a connection. Both sides are configured alike: it is never guessed. */
public enum Framing {
    /**
     * One message per buffer, nothing added, no handshake: any peer of the backend. Demand is posted receive buffers; how a
     * stream ends says {@link RawEnd}.
     */
    RAW,

    /**
     * Reactive Streams across the wire: the receiver's demand, cancel, completion and error are the sender's, exactly; many
     * streams share a connection ({@link NetioConnection#stream}), small messages share a page, and large ones take several. With
     * a handshake; docs/wire-format.md has the bytes. The default. No shared buffers, regions or {@link RawEnd}: those are RAW's.
     */
    STREAM
}
