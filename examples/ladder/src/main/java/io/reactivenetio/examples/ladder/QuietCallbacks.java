// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.ladder;

import io.reactivenetio.transport.backend.BackendCallbacks;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.exceptions.NetioException;

/** Callbacks that an example is not about. */
abstract class QuietCallbacks implements BackendCallbacks {

    @Override
    public void onConnectionRefused(Endpoint endpoint, NetioException reason) {
        throw reason;
    }
}
