// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.ladder;

import io.reactivenetio.transport.BackendType;
import java.util.Locale;

/** What carries the messages of the examples: plain TCP, or with {@code -Dnetio.example.backend=libfabric} libfabric. */
public final class Backend {
    /** The system property that chooses it. */
    public static final String PROPERTY = "netio.example.backend";

    private Backend() {
    }

    /**
     * The one that the system property names.
     *
     * @throws IllegalArgumentException if there is none of that name
     */
    public static BackendType chosen() {
        String name = System.getProperty("netio.example.backend", "tcp");
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "tcp" -> BackendType.TCP;
            case "libfabric" -> BackendType.LIBFABRIC;
            default -> throw new IllegalArgumentException("-D" + PROPERTY + "=" + name + ": there are tcp and libfabric");
        };
    }
}
