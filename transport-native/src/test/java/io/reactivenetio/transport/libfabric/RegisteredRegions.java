// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.transport.backend.NetworkBackend;

/** What tests of other packages may know of a backend's registrations. */
public final class RegisteredRegions {
    private RegisteredRegions() {
    }

    /** How many there are now; on the backend's loop. 0 for other backends than libfabric's. */
    public static int of(NetworkBackend backend) {
        return backend instanceof LibfabricBackend libfabric ? libfabric.fabrics().registeredRegions() : 0;
    }
}
