// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import java.lang.ref.Cleaner;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches one lease: if the garbage collector finds the user's object before it was released, the lease is given back, and that
 * is reported. Of those in the sample it is known where they were last used. Where a message may have to wait for leases, all are
 * listed, with the thread that used them last, so that it can be said who holds them.
 *
 * <p>The sample is one lease in {@code -Dio.reactivenetio.leaseSampling} (128 unless set, 1 for all; with 0 none is watched).
 */
final class LeaseTrace implements Runnable {
    static final int SAMPLING = Integer.getInteger("io.reactivenetio.leaseSampling", 128);

    private static final Logger LOG = LoggerFactory.getLogger(LeaseTrace.class);

    private final LeaseState lease;
    private final String origin;
    private final boolean sampled;
    private final boolean listed;
    private volatile @Nullable Use lastUse;
    private volatile @Nullable Thread lastUser;
    private Cleaner.@Nullable Cleanable watched;

    private LeaseTrace(LeaseState lease, @Nullable String origin, boolean sampled) {
        this.lease = lease;
        this.sampled = sampled;
        this.listed = sampled || lease.window().waits();
        this.origin = origin != null ? origin : sampled ? "retain() at " + CallSite.find() : "retain()";
    }

    /** For a new lease; null if none is watched. */
    static @Nullable LeaseTrace of(LeaseState lease, @Nullable String origin) {
        return SAMPLING <= 0 ? null
                : new LeaseTrace(lease, origin, SAMPLING == 1 || ThreadLocalRandom.current().nextInt(SAMPLING) == 0);
    }

    void watch(Object users) {
        if (listed) {
            lease.window().add(this);
        }
        watched = Finder.CLEANER.register(users, this);
    }

    void used() {
        if (sampled) {
            lastUse = new Use();
        } else if (listed) {
            lastUser = Thread.currentThread();
        }
    }

    /** It was released, in whatever way. */
    void end() {
        if (listed) {
            lease.window().remove(this);
        }
        Cleaner.Cleanable cleanable = watched;
        if (cleanable != null) {
            cleanable.clean();
        }
    }

    /** The user's object is gone, or {@link #end} says that it does not matter any more. */
    @Override
    public void run() {
        if (lease.isReleased() || !lease.close()) {
            return;
        }
        Use use = lastUse;
        if (sampled) {
            LOG.warn("A lease was lost without having been released, and is given back now. It came from {}, and was {}",
                    origin, use == null ? "never used" : "last used here:", use);
        } else if (lease.window().firstLoss()) { // one of many is enough
            LOG.warn("Leases were lost without having been released, and are given back now. They came from {};"
                    + " -Dio.reactivenetio.leaseSampling=1 tells where each was last used", origin);
        }
    }

    @Override
    public String toString() {
        Use use = lastUse;
        Thread user = lastUser;
        String by = use != null ? use.thread + " at " + CallSite.of(use) : user != null ? user.getName() : null;
        return "from " + origin + (by == null ? ", not yet used" : ", last used by " + by);
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
