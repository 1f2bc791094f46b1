// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.exceptions;

import org.jspecify.annotations.Nullable;

/**
 * A connection ended before its work did. For a send, {@link #unsent()} messages had been taken from the upstream but are not
 * known to have reached the peer; some of them may have.
 */
public final class NetioAbortedException extends NetioException {
    private static final long serialVersionUID = 1L;

    private final long unsent;

    public NetioAbortedException(String message, long unsent, @Nullable Throwable cause) {
        super(message, cause);
        this.unsent = unsent;
    }

    /** Messages taken from the upstream and not known to be delivered; 0 on the receiving side. */
    public long unsent() {
        return unsent;
    }
}
