// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.ladder;

import io.reactivenetio.transport.BackendCallbacks;
import io.reactivenetio.transport.Endpoint;
import io.reactivenetio.transport.SendKey;
import io.reactivenetio.transport.SendKind;
import io.reactivenetio.transport.exceptions.NetioException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Callbacks that an example is not about. */
abstract class QuietCallbacks implements BackendCallbacks {

    @Override
    public void onConnectionRefused(Endpoint endpoint, NetioException reason) {
        throw reason;
    }

    @Override
    public void onConnectionClosed(Endpoint endpoint, List<SendKey> cancelled, @Nullable NetioException cause) {
    }

    @Override
    public void onSendCompleted(Endpoint endpoint, SendKind kind, long key) {
    }

    @Override
    public void onResourcesAvailable(Endpoint endpoint) {
    }
}
