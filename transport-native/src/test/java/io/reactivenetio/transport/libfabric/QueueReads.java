// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.transport.backend.NetworkBackend;

/** What tests of other packages may know of how often a backend looks for completions. */
public final class QueueReads {
    private QueueReads() {
    }

    /** Reads of completion queues so far; on the backend's loop. 0 for other backends than libfabric's. */
    public static long of(NetworkBackend backend) {
        return backend instanceof LibfabricBackend libfabric ? libfabric.fabrics().queueReads() : 0;
    }
}
