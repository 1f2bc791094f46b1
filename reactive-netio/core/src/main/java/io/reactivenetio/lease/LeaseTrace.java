// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import io.reactivenetio.diagnostics.CallSite;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is known of one lease, should it be lost or waited for: where it came from, and of those in the sample where they were
 * last used. Where a message may have to wait for leases, all are listed, with the thread that used them last, so that it can be
 * said who holds them. It does not keep the lease from being found lost. Any thread.
 *
 * <p>The sample is one lease in {@code -Dio.reactivenetio.leaseSampling} (1,024 unless set, 1 for all; with 0 none is watched).
 */
final class LeaseTrace {
    static final int SAMPLING = Integer.getInteger("io.reactivenetio.leaseSampling", 1024);

    private static final Logger LOG = LoggerFactory.getLogger(LeaseTrace.class);

    private final Set<LeaseTrace> listed;
    private final Object buffer;
    private final String origin;
    private final boolean sampled;
    private volatile @Nullable Use lastUse;
    private volatile @Nullable Thread lastUser;

    /** Traces a new lease in {@code buffer}, which came from {@code origin}. It leaves {@code listed} with the lease. */
    LeaseTrace(Set<LeaseTrace> listed, Object buffer, String origin, boolean sampled) {
        this.listed = listed;
        this.buffer = buffer;
        this.origin = origin;
        this.sampled = sampled;
    }

    /** The origin of a lease that the calling thread makes beside another one. */
    static String retainedHere(boolean sampled) {
        return sampled ? "retain() at " + CallSite.find() : "retain()";
    }

    boolean isOf(Object leased) {
        return buffer == leased;
    }

    void used() {
        if (sampled) {
            lastUse = new Use();
        } else {
            lastUser = Thread.currentThread();
        }
    }

    /** The lease was given back. */
    void end() {
        listed.remove(this);
    }

    /** The lease was lost. True if that was reported, as it is of those in the sample. */
    boolean lost() {
        listed.remove(this);
        if (sampled) {
            Use use = lastUse;
            LOG.warn("A lease was lost without having been released, and is given back now. It came from {}, and was {}",
                    origin, use == null ? "never used" : "last used here:", use);
        }
        return sampled;
    }

    @Override
    public String toString() {
        Use use = lastUse;
        Thread user = lastUser;
        String by = use != null ? use.thread + " at " + CallSite.of(use) : user != null ? user.getName() : null;
        return "from " + origin + (by == null ? ", not yet used" : ", last used by " + by);
    }

    /** A place in the program, as a stack to be printed. */
    private static final class Use extends Throwable {
        private static final long serialVersionUID = 1;

        private final String thread = Thread.currentThread().getName();

        Use() {
            super("use of a lease on thread " + Thread.currentThread().getName());
        }
    }
}
