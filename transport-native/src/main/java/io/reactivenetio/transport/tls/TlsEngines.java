// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tls;

import java.net.SocketAddress;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/** Makes the engine of each connection. Called on a worker thread, so it may block. */
public interface TlsEngines {

    /**
     * Returns the engine of a side that connects.
     *
     * @param remote where to, with the host name that was asked for
     * @throws SSLException if what it needs, such as a certificate file, cannot be used any more
     */
    SSLEngine connecting(SocketAddress remote) throws SSLException;

    /**
     * Returns the engine of a side that accepts.
     *
     * @throws SSLException if what it needs, such as a certificate file, cannot be used any more
     */
    SSLEngine accepting() throws SSLException;
}
