// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.codec;

import io.reactivenetio.spring.NetioProperties.CodecKind;

/** What {@code netio.codec} names is not on the class path. */
public final class MissingCodecException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    private final String needed;

    MissingCodecException(CodecKind kind, String needed) {
        super("property netio.codec is " + kind + ", and what it needs is not on the class path: " + needed);
        this.needed = needed;
    }

    /** What has to be on the class path. */
    public String needed() {
        return needed;
    }
}
