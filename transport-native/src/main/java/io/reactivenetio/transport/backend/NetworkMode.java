// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

/** The kind of network, as in netio3. Which libfabric provider that means can be said more precisely with a name. */
public enum NetworkMode {
    /** Remote direct memory access: provider {@code verbs} (InfiniBand, RoCE, iWARP) unless another is named. */
    RDMA("verbs"),
    /** The kernel's TCP: provider {@code tcp} unless another is named. */
    TCP("tcp");

    private final String provider;

    NetworkMode(String provider) {
        this.provider = provider;
    }

    /** The libfabric provider that stands for this mode. */
    public String provider() {
        return provider;
    }
}
