// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

/** What carries the messages of a connection, or the choice between what there is. */
public enum BackendType {
    /**
     * The fastest network that both ends have, chosen for each connection: libfabric's provider {@code verbs} where there is an
     * RDMA device for the way, and otherwise plain TCP. No implementation of its own: servers and clients choose.
     */
    AUTO,

    /** libfabric FI_EP_MSG endpoints, over any provider that has them (verbs, tcp, …). */
    LIBFABRIC,

    /**
     * Plain TCP sockets, each message after its length as a u32, little-endian. Needs no library, and ignores the provider. Not
     * libfabric's provider {@code tcp}, and the two do not understand each other.
     */
    TCP
}
