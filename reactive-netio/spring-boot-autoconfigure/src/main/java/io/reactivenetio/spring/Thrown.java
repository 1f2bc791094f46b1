// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import java.util.Objects;

/**
 * What code of the application has thrown, made fit to be passed on and to be told. Such code may throw anything: an Error, a
 * checked exception that it has not declared, or an exception whose text cannot be had. All methods may be called on any thread.
 */
public final class Thrown {
    private static final int MOST_CAUSES = 50;

    private Thrown() {
    }

    /**
     * The error as a signal of Reactor. It does not pass on a LinkageError or VirtualMachineError, but throws it at whoever is
     * calling, and then nobody is told: such an error becomes the cause of another one, which has its text. Other errors are
     * returned as they are.
     */
    public static Throwable signal(Throwable error) {
        return error instanceof LinkageError || error instanceof VirtualMachineError
                ? new IllegalStateException(text(error), loggable(error)) : error;
    }

    /** What {@code toString} of the error gives, or its class if that gives nothing or throws. */
    public static String text(Throwable error) {
        try {
            return Objects.requireNonNullElseGet(error.toString(), () -> error.getClass().getName());
        } catch (Throwable t) { // an exception's own methods are code of the application as well
            return error.getClass().getName() + ", whose text cannot be had: it throws " + t.getClass().getName();
        }
    }

    /**
     * The error for somebody who asks it and its causes for their texts, such as a log or a peer that is told: another one in its
     * place if one of them throws, or has none.
     */
    public static Throwable loggable(Throwable error) {
        boolean hasText = true;
        try {
            StringBuilder asked = new StringBuilder();
            Throwable one = error;
            for (int i = 0; one != null && i < MOST_CAUSES; i++) { // a cause may be its own cause
                hasText &= one.toString() != null;
                asked.append(one.getMessage());
                one = one.getCause();
            }
        } catch (Throwable t) {
            hasText = false;
        }
        if (hasText) {
            return error;
        }
        IllegalStateException told = new IllegalStateException(text(error));
        told.setStackTrace(error.getStackTrace());
        return told;
    }
}
