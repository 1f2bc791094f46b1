// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

/**
 * The error that a queue last reported. One per queue, overwritten by its next {@code readError}; read by the queue's
 * thread only. Provider specific data ({@code err_data}) is left alone: with verbs 1.17 it is not a pointer.
 */
public final class FiError {
    private final FiFunctions functions;
    private long context;
    private long flags;
    private long length;
    private long overflow;
    private long fid;
    private int err;
    private int provErrno;

    FiError(FiFunctions functions) {
        this.functions = functions;
    }

    /** The same error, which no queue overwrites. */
    public FiError copy() {
        FiError copy = new FiError(functions);
        copy.completion(context, flags, length, overflow);
        copy.fid = fid;
        copy.codes(err, provErrno);
        return copy;
    }

    void completion(long newContext, long newFlags, long newLength, long newOverflow) {
        this.context = newContext;
        this.flags = newFlags;
        this.length = newLength;
        this.overflow = newOverflow;
        this.fid = 0;
    }

    void event(long newFid, long newContext) {
        this.context = newContext;
        this.flags = 0;
        this.length = 0;
        this.overflow = 0;
        this.fid = newFid;
    }

    void codes(int newErr, int newProvErrno) {
        this.err = newErr;
        this.provErrno = newProvErrno;
    }

    /** Of a completion queue: the context of the operation that failed. */
    public long context() {
        return context;
    }

    /** Of a completion queue: what kind of operation failed, FI_SEND or FI_RECV among others. */
    public long flags() {
        return flags;
    }

    /** Of a completion queue: bytes that arrived nevertheless. */
    public long length() {
        return length;
    }

    /** Of a completion queue: bytes that did not fit, for FI_ETRUNC. */
    public long overflow() {
        return overflow;
    }

    /** Of an event queue: the {@link Fid#address()} of the object that failed. */
    public long fid() {
        return fid;
    }

    /** The error as a positive number, {@code Fi.FI_E…}. */
    public int err() {
        return err;
    }

    /** The provider's own number: an ibv_wc_status for FI_EIO on verbs; on tcp whatever errno was before, of no meaning. */
    public int provErrno() {
        return provErrno;
    }

    /** The error in words, such as "Connection refused (111)". */
    public String text() {
        return functions.strerror(err) + " (" + err + (err == Fi.FI_EIO && provErrno != 0 ? ", provider " + provErrno : "") + ")";
    }
}
