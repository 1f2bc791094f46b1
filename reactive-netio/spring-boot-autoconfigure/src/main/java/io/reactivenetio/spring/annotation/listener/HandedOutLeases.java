// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import io.reactivenetio.api.Lease;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The leases that a method has got by its Flux, so that those that it has forgotten can be given back when the Flux is over.
 * They are not kept from the garbage collector, which finds those that are lost before. Any thread.
 */
final class HandedOutLeases {
    private static final int FEW = 64;

    private List<WeakReference<Lease>> out = new ArrayList<>();
    private int sweepAt = FEW;
    private boolean closed;

    /** Adds a lease; after {@link #close} it is given back at once. */
    void add(Lease lease) {
        synchronized (this) {
            if (!closed) {
                if (out.size() >= sweepAt) {
                    out.removeIf(HandedOutLeases::isBack);
                    sweepAt = Math.max(FEW, 2 * out.size());
                }
                out.add(new WeakReference<>(lease));
                return;
            }
        }
        lease.close();
    }

    private static boolean isBack(WeakReference<Lease> reference) {
        @Nullable Lease lease = reference.get();
        return lease == null || lease.isReleased();
    }

    /** Gives back all that are still out. */
    void close() {
        List<WeakReference<Lease>> left;
        synchronized (this) {
            closed = true;
            left = out;
            out = new ArrayList<>();
        }
        for (WeakReference<Lease> reference : left) {
            @Nullable Lease lease = reference.get();
            if (lease != null) {
                lease.close();
            }
        }
    }
}
