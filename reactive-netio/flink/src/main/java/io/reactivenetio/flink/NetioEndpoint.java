// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import java.io.Serializable;
import java.util.Objects;

/**
 * Where a publisher listens.
 *
 * @param host its name or address
 * @param port its port
 */
public record NetioEndpoint(String host, int port) implements Serializable {
    private static final int MAX_PORT = 65_535;

    /** @throws IllegalArgumentException if the host is blank, or the port not 1 to 65,535 */
    public NetioEndpoint {
        if (Objects.requireNonNull(host, "host").isBlank() || port < 1 || port > MAX_PORT) {
            throw new IllegalArgumentException("an endpoint has a host and a port of 1 to " + MAX_PORT + ": \"" + host + "\", "
                    + port);
        }
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
