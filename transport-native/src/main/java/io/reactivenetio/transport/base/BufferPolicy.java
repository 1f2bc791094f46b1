// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.ListenEndpoint;
import io.reactivenetio.transport.backend.SharedBuffers;
import io.reactivenetio.transport.exceptions.InvalidConnectionParametersException;

/** Says which buffers a connection has of its own and which it shares. Any thread. */
public final class BufferPolicy {
    private final BackendConfig config;

    BufferPolicy(BackendConfig config) {
        this.config = config;
    }

    /** Whether an endpoint with these parameters receives into buffers that it shares. */
    public boolean sharesReceives(ConnectionParameters parameters) {
        return config.sharedReceiveBuffers() != null || parameters.shareReceiveBuffers();
    }

    /** The size and number of the receive buffers that are shared. */
    public SharedBuffers receives(ConnectionParameters parameters) {
        SharedBuffers shared = config.sharedReceiveBuffers();
        return shared != null ? shared : new SharedBuffers(parameters.receiveBufferSize(), parameters.receiveBuffers());
    }

    /** Whether all connections of the backend share their receive buffers, not only those of one listen endpoint. */
    public boolean backendSharesReceives() {
        return config.sharedReceiveBuffers() != null;
    }

    /** Fails if {@code listener}, whose parameters a connection has, is of a backend that shares other kinds of buffers. */
    void checkSameKinds(ListenEndpoint listener, BackendConfig its) {
        if ((its.sharedReceiveBuffers() == null) != (config.sharedReceiveBuffers() == null)
                || (its.sharedSendBuffers() == null) != (config.sharedSendBuffers() == null)) {
            throw new InvalidConnectionParametersException("a connection of " + listener + " cannot be of a backend with"
                    + " other shared buffers than its own: share the same kinds in both");
        }
    }

    /** Fails if the parameters contradict the backend's configuration. */
    void check(ConnectionParameters parameters, boolean listening) {
        if (config.sharedReceiveBuffers() != null && parameters.receiveBuffers() > 0) {
            throw new InvalidConnectionParametersException("this backend shares its receive buffers, but the connection asks for "
                    + parameters.receiveBuffers() + " of its own: ask for 0");
        }
        if (config.sharedSendBuffers() != null && parameters.sendBuffers() > 0) {
            throw new InvalidConnectionParametersException("this backend shares its send buffers, but the connection asks for "
                    + parameters.sendBuffers() + " of its own: ask for 0");
        }
        if (parameters.shareReceiveBuffers() && !listening) {
            throw new InvalidConnectionParametersException("only the connections of a listen endpoint can share receive buffers"
                    + " that are not the backend's");
        }
    }
}
