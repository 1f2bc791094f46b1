// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.FiInfo;
import io.reactivenetio.transport.BackendConfig;
import io.reactivenetio.transport.ConnectionParameters;
import io.reactivenetio.transport.SharedBuffers;
import io.reactivenetio.transport.exceptions.InvalidConnectionParametersException;

/** Compares the messages of a connection with the largest that a provider has. */
final class MessageSizes {
    private MessageSizes() {
    }

    /** Fails if a message may be larger than the provider's largest. */
    static void requireFit(FiInfo info, ConnectionParameters parameters, BackendConfig config) {
        requireFits(info, "receive", parameters.receiveBuffers() > 0 ? parameters.receiveBufferSize() : 0);
        requireFits(info, "send", parameters.sendBuffers() > 0 ? parameters.sendBufferSize() : 0);
        requireFits(info, "zero-copy", parameters.region() != null ? parameters.zeroCopySize() : 0);
        SharedBuffers receives = config.sharedReceiveBuffers();
        requireFits(info, "shared receive", receives != null ? receives.size() : 0);
        SharedBuffers sends = config.sharedSendBuffers();
        requireFits(info, "shared send", sends != null ? sends.size() : 0);
    }

    private static void requireFits(FiInfo info, String what, long size) {
        if (size > info.maxMsgSize()) {
            throw new InvalidConnectionParametersException(what + " size of " + size + " bytes: provider " + info.providerName()
                    + " has messages of at most " + info.maxMsgSize());
        }
    }
}
