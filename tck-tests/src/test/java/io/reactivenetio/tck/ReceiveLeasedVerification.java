// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.Lease;
import io.reactivenetio.NetioConnection;
import io.reactivenetio.transport.BackendType;

/** {@code receiveLeased()} is a Publisher. Nobody gives a lease back: copies take over. */
@SuppressWarnings("exports")
abstract class ReceiveLeasedVerification extends ReceiveVerification<Lease> {

    ReceiveLeasedVerification(BackendType backend, Framing framing) {
        super(backend, framing, NetioConnection::receiveLeased);
    }
}
