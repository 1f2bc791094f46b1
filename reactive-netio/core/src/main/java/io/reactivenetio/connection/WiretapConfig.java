// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import java.util.Objects;

/**
 * What is logged of a connection's buffers.
 *
 * @param category the name of the logger
 * @param mostBytes how many bytes of messages are shown of each buffer, 0 or more
 */
public record WiretapConfig(String category, int mostBytes) {

    /** @throws IllegalArgumentException if the number is negative */
    public WiretapConfig {
        Objects.requireNonNull(category, "category");
        if (mostBytes < 0) {
            throw new IllegalArgumentException("a number of bytes must not be negative: " + mostBytes);
        }
    }
}
