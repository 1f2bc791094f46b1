// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

/**
 * What a provider does differently and does not say in its fi_info.
 *
 * @param deliveryComplete whether FI_DELIVERY_COMPLETE is to be asked for; verbs does not know it, its completions already mean
 *     that the peer's NIC has acknowledged
 * @param lingerMillis how long a connection that we close stays open underneath: the sockets provider acknowledges a message from
 *     a thread of its own, after telling us that it arrived, and a close in between takes the acknowledgement with it
 */
record ProviderTraits(boolean deliveryComplete, int lingerMillis) {

    static ProviderTraits of(String provider) {
        return new ProviderTraits(!provider.startsWith("verbs"), provider.equals("sockets") ? 50 : 0);
    }
}
