// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

/** There is no io_uring here. The message says why, and what to do. */
public final class IoUringException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    IoUringException(String message) {
        super(message);
    }
}
