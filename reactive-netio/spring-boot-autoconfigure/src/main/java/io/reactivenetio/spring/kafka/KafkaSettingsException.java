// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.kafka;

import org.jspecify.annotations.Nullable;

/** Something is wrong with {@code netio.kafka}: what, and what to do. */
public final class KafkaSettingsException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final String description;
    private final String action;

    KafkaSettingsException(String description, String action, @Nullable Throwable cause) {
        super(description + ". " + action, cause);
        this.description = description;
        this.action = action;
    }

    /** What is wrong. */
    public String description() {
        return description;
    }

    /** What to do. */
    public String action() {
        return action;
    }
}
