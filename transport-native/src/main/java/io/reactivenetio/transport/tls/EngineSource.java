// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tls;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/** Makes the engine of one connection. Called on a worker thread, so it may block. */
@FunctionalInterface
public interface EngineSource {
    SSLEngine make() throws SSLException;
}
