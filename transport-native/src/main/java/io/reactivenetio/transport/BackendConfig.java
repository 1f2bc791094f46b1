// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

import java.time.Duration;
import java.util.Objects;

/**
 * What is common to all endpoints of a backend.
 *
 * @param provider the libfabric provider's name, for instance {@code tcp}, {@code verbs} or {@code sockets};
 *     other backends ignore it
 * @param connectTimeout after this long an unanswered connect counts as refused
 */
public record BackendConfig(String provider, Duration connectTimeout) {

    public BackendConfig {
        Objects.requireNonNull(provider, "provider");
        if (provider.isBlank()) {
            throw new IllegalArgumentException("provider is blank; try tcp, verbs or sockets");
        }
        if (connectTimeout.isNegative() || connectTimeout.isZero()) {
            throw new IllegalArgumentException("connectTimeout must be positive: " + connectTimeout);
        }
    }

    /** Provider tcp, 5 s to connect. */
    public static BackendConfig defaults() {
        return new BackendConfig("tcp", Duration.ofSeconds(5));
    }

    public BackendConfig withProvider(String name) {
        return new BackendConfig(name, connectTimeout);
    }

    public BackendConfig withConnectTimeout(Duration timeout) {
        return new BackendConfig(provider, timeout);
    }
}
