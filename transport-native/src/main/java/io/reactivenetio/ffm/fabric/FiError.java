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
    private long fid;
    private int err;
    private int provErrno;

    FiError(FiFunctions functions) {
        this.functions = functions;
    }

    /** The same error, which no queue overwrites. */
    public FiError copy() {
        FiError copy = new FiError(functions);
        copy.completion(context, flags);
        copy.fid = fid;
        copy.codes(err, provErrno);
        return copy;
    }

    void completion(long newContext, long newFlags) {
        this.context = newContext;
        this.flags = newFlags;
        this.fid = 0;
    }

    void event(long newFid, long newContext) {
        this.context = newContext;
        this.flags = 0;
        this.fid = newFid;
    }

    void codes(int newErr, int newProvErrno) {
        this.err = newErr;
        this.provErrno = newProvErrno;
    }

    /** Returns the context of the operation that failed, from a completion queue. */
    public long context() {
        return context;
    }

    /** Returns what kind of operation failed, from a completion queue: FI_SEND or FI_RECV among others. */
    public long flags() {
        return flags;
    }

    /** Returns the {@link Fid#address()} of the object that failed, from an event queue. */
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
