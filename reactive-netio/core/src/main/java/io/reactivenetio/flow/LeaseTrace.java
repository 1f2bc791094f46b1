// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import java.lang.ref.Cleaner;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is known of a lease in the sample: where it came from and where it was last used. If the garbage collector finds the
 * user's object before it was released, that is reported and the lease is given back.
 *
 * <p>The sample is one lease in {@code -Dio.reactivenetio.leaseSampling} (128 unless set, 1 for all, 0 for none).
 */
final class LeaseTrace implements Runnable {
    static final int SAMPLING = Integer.getInteger("io.reactivenetio.leaseSampling", 128);

    private static final Logger LOG = LoggerFactory.getLogger(LeaseTrace.class);

    private final LeaseState lease;
    private final String origin;
    private volatile @Nullable Use lastUse;
    private Cleaner.@Nullable Cleanable watched;

    private LeaseTrace(LeaseState lease, String origin) {
        this.lease = lease;
        this.origin = origin;
    }

    /** A trace for this new lease, or null if it is not in the sample. */
    static @Nullable LeaseTrace sample(LeaseState lease, @Nullable String origin) {
        if (SAMPLING <= 0 || SAMPLING > 1 && ThreadLocalRandom.current().nextInt(SAMPLING) != 0) {
            return null;
        }
        return new LeaseTrace(lease, origin != null ? origin : "retain() at " + CallSite.find());
    }

    void watch(Object users) {
        lease.window().add(this);
        watched = Finder.CLEANER.register(users, this);
    }

    void used() {
        lastUse = new Use();
    }

    /** It was released, in whatever way. */
    void end() {
        lease.window().remove(this);
        Cleaner.Cleanable cleanable = watched;
        if (cleanable != null) {
            cleanable.clean();
        }
    }

    /** The user's object is gone, or {@link #end} says that it does not matter any more. */
    @Override
    public void run() {
        if (!lease.isReleased()) {
            Use use = lastUse;
            if (lease.close()) {
                LOG.warn("A lease was lost without having been released, and is given back now. It came from {}, and was {}",
                        origin, use == null ? "never used" : "last used here:", use);
            }
        }
    }

    @Override
    public String toString() {
        Use use = lastUse;
        return use == null ? "from " + origin + ", not yet used"
                : "from " + origin + ", last used by " + use.thread + " at " + CallSite.of(use);
    }

    /** The Cleaner's thread runs from the first lease in the sample on. */
    private static final class Finder {
        static final Cleaner CLEANER = Cleaner.create(task -> {
            Thread thread = new Thread(task, "netio-leases");
            thread.setDaemon(true);
            return thread;
        });
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
