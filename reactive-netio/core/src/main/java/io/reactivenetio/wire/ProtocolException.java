// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

/**
 * What the peer sent is not what docs/wire-format.md allows. Checked, because it is an answer that every caller of a decoder has
 * to expect; the message says what was wrong, the values, and where. Nothing after it can be trusted: the connection ends.
 */
public final class ProtocolException extends Exception {
    private static final long serialVersionUID = 1L;

    public ProtocolException(String message) {
        super(message);
    }
}
