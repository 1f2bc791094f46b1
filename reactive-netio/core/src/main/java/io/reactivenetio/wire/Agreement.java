// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

/**
 * The result of the two handshakes of a connection. Limits are not negotiated: each side keeps to those of the other.
 *
 * @param own our handshake
 * @param peer the other side's
 * @param version of the format, the highest that both speak
 */
public record Agreement(Handshake own, Handshake peer, int version) {

    /** Whether every page has a checksum: both can, and one insists. */
    public boolean checksums() {
        return ((own.required() | peer.required()) & Handshake.CRC32C) != 0;
    }

    /** Whether requests may have headers, in both directions: both sides can read them. */
    public boolean requestHeaders() {
        return (own.supported() & peer.supported() & Handshake.REQUEST_HEADERS) != 0;
    }

    /** Whether a subscriber is told the run in which messages are numbered: both sides can read that. */
    public boolean runs() {
        return (own.supported() & peer.supported() & Handshake.RUNS) != 0;
    }

    /** The credits of this side at the beginning. */
    public CreditWindow credits() {
        return new CreditWindow(own.dataPages(), own.controlPages(), peer.dataPages(), peer.controlPages());
    }
}
