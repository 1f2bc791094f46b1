// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import io.reactivenetio.ffm.LibC;

/** A libfabric function on the control path failed. Functions of the data path return their negative codes instead. */
public final class FabricException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String operation;
    private final int code;

    FabricException(String operation, String text, int code) {
        super(operation + ": " + text + " (" + Math.abs(code) + ")" + LibC.limitHint(code));
        this.operation = operation;
        this.code = Math.abs(code);
    }

    /** The error as a positive number, one of {@code Fi.FI_E…}. */
    public int code() {
        return code;
    }

    /** What was tried, such as "fi_listen on 127.0.0.1:80". */
    public String operation() {
        return operation;
    }
}
