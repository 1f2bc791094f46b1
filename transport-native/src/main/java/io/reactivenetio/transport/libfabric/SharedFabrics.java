// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.FiFabric;
import io.reactivenetio.ffm.fabric.FiInfo;
import io.reactivenetio.ffm.fabric.LibFabric;
import java.util.HashMap;
import java.util.Map;

/**
 * The open fabrics of this process, one per provider and name: a connection that is accepted on one loop and lives on another
 * needs the same fabric on both. Any thread.
 */
final class SharedFabrics {
    private record Key(String provider, String name) {
    }

    private static final class Shared {
        private final FiFabric fabric;
        private int users;

        Shared(FiFabric fabric) {
            this.fabric = fabric;
        }
    }

    private static final Map<Key, Shared> OPEN = new HashMap<>();

    private SharedFabrics() {
    }

    /** Opens the fabric {@code name} as {@code info} describes it, unless it is open. */
    static synchronized FiFabric acquire(LibFabric library, String provider, String name, FiInfo info) {
        Shared shared = OPEN.computeIfAbsent(new Key(provider, name), key -> new Shared(library.openFabric(info)));
        shared.users++;
        return shared.fabric;
    }

    /** One more user of a fabric that is open. */
    static synchronized void retain(String provider, String name) {
        Shared shared = OPEN.get(new Key(provider, name));
        if (shared == null) {
            throw new IllegalStateException("fabric " + name + " of provider " + provider + " is not open");
        }
        shared.users++;
    }

    /** Closes it with its last user. */
    static synchronized void release(String provider, String name) {
        Key key = new Key(provider, name);
        Shared shared = OPEN.get(key);
        if (shared != null && --shared.users == 0) {
            OPEN.remove(key);
            shared.fabric.close();
        }
    }
}
