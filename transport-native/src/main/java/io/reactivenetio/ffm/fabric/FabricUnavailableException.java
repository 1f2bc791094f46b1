// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import org.jspecify.annotations.Nullable;

/** libfabric is absent, too old, or does not look as this binding expects. The message says what to do. */
public final class FabricUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    FabricUnavailableException(String message) {
        this(message, null);
    }

    FabricUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
