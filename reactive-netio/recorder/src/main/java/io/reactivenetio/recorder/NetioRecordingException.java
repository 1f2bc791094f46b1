// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import org.jspecify.annotations.Nullable;

/** What goes wrong with a recording. The text says what it was, and what to do. */
public final class NetioRecordingException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** What kind of thing went wrong. */
    public enum Reason {
        /** Nothing is recorded for exactly these tags. */
        NOT_RECORDED,
        /** The run of a position is not in the recording, any more or at all; or the recording was replaced by another one. */
        UNKNOWN_RUN,
        /** The disk or the recording's limit is full, and the recorder is to fail then. */
        FULL,
        /** The recorder or the recording is closed. */
        CLOSED,
        /** Somebody else uses it: another recorder writes this directory, or another recording is under way for these tags. */
        IN_USE,
        /** A limit is reached, for instance that of open readers at a server. */
        LIMIT,
        /** The files are not those of a recording, or of a later version. */
        FORMAT,
        /** The disk has failed, or the files cannot be used, or cannot be read by a server that has failed at it. */
        DISK,
        /** A server of a recording does not reach now what it serves, such as another server. It may pass. */
        UNAVAILABLE
    }

    private final Reason reason;

    NetioRecordingException(Reason reason, String message) {
        this(reason, message, null);
    }

    NetioRecordingException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** The same for somebody else: operators add to the exceptions that they get. */
    NetioRecordingException copy() {
        return new NetioRecordingException(reason, String.valueOf(getMessage()), this);
    }

    /** What kind of thing went wrong. */
    public Reason reason() {
        return reason;
    }
}
