// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import org.jspecify.annotations.Nullable;

/** An annotated method cannot do what its annotation asks for. It says which method, why, and what to do. */
public final class NetioMethodException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    private final String description;
    private final String action;

    /** Made by the starter only: {@code description} says what is wrong, {@code action} what to do. */
    public NetioMethodException(String description, String action, @Nullable Throwable cause) {
        super(description + ". " + action, cause);
        this.description = description;
        this.action = action;
    }

    /** What is wrong, with the class and method. */
    public String description() {
        return description;
    }

    /** What to do. */
    public String action() {
        return action;
    }
}
