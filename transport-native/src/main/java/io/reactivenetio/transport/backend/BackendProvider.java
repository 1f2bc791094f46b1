// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.BackendUnavailableException;
import java.util.List;

/** How a backend is found (by ServiceLoader) and made. For implementers of backends. */
public interface BackendProvider {

    /** What it makes. */
    BackendType type();

    /** See {@link NetworkBackend#create}. */
    NetworkBackend create(BackendConfig config, EventLoop loop, BackendCallbacks callbacks);

    /**
     * The native library; loads it.
     *
     * @throws BackendUnavailableException if it is not on this machine, or of a version that does not work
     */
    NativeLibrary library();

    /**
     * The fabric providers that have message endpoints (FI_EP_MSG), and on which interfaces.
     *
     * @throws BackendUnavailableException if the library is not on this machine
     */
    List<FabricInterface> interfaces();
}
