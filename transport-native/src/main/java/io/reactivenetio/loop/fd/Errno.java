// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.fd;

import io.reactivenetio.ffm.LibC;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Turns the negated errno of a system call into an exception. */
public final class Errno {
    private Errno() {
    }

    /** Returns {@code result}, or throws an {@link UncheckedIOException} that names the call when it is a negated errno. */
    public static int check(String call, int result) {
        if (result < 0) {
            throw new UncheckedIOException(failure(call, result));
        }
        return result;
    }

    public static IOException failure(String call, long negatedErrno) {
        return new IOException(call + ": " + LibC.strerror((int) negatedErrno) + LibC.limitHint(negatedErrno));
    }
}
