// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

/** What carries the messages of a connection. */
public enum BackendType {
    /** libfabric FI_EP_MSG endpoints, over any provider that has them (tcp, verbs, …). */
    LIBFABRIC,

    /**
     * Plain TCP sockets, each message after its length as a u32, little-endian. Needs no library, and ignores the provider. Not
     * libfabric's provider {@code tcp}, and the two do not understand each other.
     */
    TCP
}
