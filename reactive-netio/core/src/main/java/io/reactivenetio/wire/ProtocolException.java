// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

/**
 * Says that the peer has sent what docs/wire-format.md does not allow. It is checked, because every caller of a decoder has to
 * expect it. The message says what was wrong, the values, and where. Nothing after it can be trusted, so the connection ends.
 */
public final class ProtocolException extends Exception {
    private static final long serialVersionUID = 1L;

    public ProtocolException(String message) {
        super(message);
    }
}
