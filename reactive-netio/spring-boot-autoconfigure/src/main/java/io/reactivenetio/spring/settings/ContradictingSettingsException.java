// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.settings;

/** Properties contradict each other, each of which may be right. The message says which, in the words of the library. */
public final class ContradictingSettingsException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    /** {@code prefix} is what the names of the properties begin with; {@code cause} says what is wrong. */
    public ContradictingSettingsException(String prefix, Throwable cause) {
        super("properties " + prefix + "* contradict each other: " + cause.getMessage(), cause);
    }
}
