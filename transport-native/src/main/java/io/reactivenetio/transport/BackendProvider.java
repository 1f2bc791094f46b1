// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

import io.reactivenetio.loop.EventLoop;
import java.util.List;

/** How a backend is found (by ServiceLoader) and made. For implementers of backends. */
public interface BackendProvider {

    /** What it makes. */
    BackendType type();

    /** See {@link NetworkBackend#create}. */
    NetworkBackend create(BackendConfig config, EventLoop loop, BackendCallbacks callbacks);

    /**
     * The version of the native library, for people.
     *
     * @throws BackendUnavailableException if it is not on this machine
     */
    String libraryVersion();

    /**
     * The fabric providers that have message endpoints (FI_EP_MSG), and on which interfaces.
     *
     * @throws BackendUnavailableException if the library is not on this machine
     */
    List<FabricInterface> interfaces();
}
