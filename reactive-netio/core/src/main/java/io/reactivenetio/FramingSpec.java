// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.connection.FramingProvider;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.ConnectionParameters;
import java.time.Duration;

/**
 * A framing with the settings that only it has; {@link Framing} makes the ones to begin with. A spec is immutable: each setting
 * returns a changed copy. A setting throws {@link IllegalArgumentException} at once if its value alone is wrong. All methods may
 * be called on any thread.
 */
public abstract sealed class FramingSpec permits PlainFraming, StreamFraming {
    private final String name;

    FramingSpec(String name) {
        this.name = name;
    }

    /** {@code common} with the shared buffers, if there are some. */
    BackendConfig backend(BackendConfig common) {
        return common;
    }

    /** {@code common} with the region, if there is one. */
    ConnectionParameters buffers(ConnectionParameters common) {
        return common;
    }

    /** This framing in the terms of the floors below. STREAM framing promises a sign of life. */
    abstract FramingProvider provider(Duration keepAlive);

    /** Its name: RAW, PAGE or STREAM. */
    @Override
    public final String toString() {
        return name;
    }
}
