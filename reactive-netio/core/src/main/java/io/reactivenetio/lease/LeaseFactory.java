// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the leases that users hold, for packages above the public one: only that package can call the constructor of its lease.
 * It says how in the static initialiser of its connection, so it has said so before anybody has one to receive from.
 */
public final class LeaseFactory {
    private static volatile @Nullable Supplier<? extends LeaseReference> maker;

    private LeaseFactory() {
    }

    /** Says how to make a lease on nothing. */
    public static void provide(Supplier<? extends LeaseReference> leases) {
        maker = leases;
    }

    /** What makes leases of {@code type}, the public class. */
    public static <T extends LeaseReference> Supplier<T> of(Class<T> type) {
        Supplier<? extends LeaseReference> known = maker;
        if (known == null) {
            throw new IllegalStateException("there is no public connection yet, so there is nothing to lease");
        }
        return () -> type.cast(known.get());
    }
}
