// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import io.reactivenetio.transport.BackendType;

/**
 * What carries a connection, or what a server listens on.
 *
 * @param backend {@link BackendType#TCP} or {@link BackendType#LIBFABRIC}, and never {@link BackendType#AUTO}
 * @param provider the libfabric provider, such as {@code verbs}; empty for plain TCP
 */
public record Network(BackendType backend, String provider) {
    /** Plain TCP sockets. */
    public static final Network PLAIN_TCP = new Network(BackendType.TCP, "");

    /** RDMA by libfabric's provider verbs. */
    public static final Network VERBS = new Network(BackendType.LIBFABRIC, "verbs");

    public Network {
        if (backend == BackendType.AUTO) {
            throw new IllegalArgumentException("AUTO is a choice between networks, and not one of them");
        }
    }

    /** Whether messages go by RDMA. */
    public boolean isRdma() {
        return backend == BackendType.LIBFABRIC && provider.startsWith("verbs");
    }

    /** {@code plain TCP}, or the provider as in {@code libfabric verbs}. */
    @Override
    public String toString() {
        return backend == BackendType.TCP ? "plain TCP" : "libfabric " + provider;
    }
}
