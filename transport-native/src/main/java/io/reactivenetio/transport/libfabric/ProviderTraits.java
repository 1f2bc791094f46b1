// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.Fi;
import io.reactivenetio.ffm.FiError;

/**
 * What a provider does differently and does not say in its fi_info.
 *
 * @param verbs whether an FI_EIO carries an ibv_wc_status
 * @param deliveryComplete whether FI_DELIVERY_COMPLETE is to be asked for; verbs does not know it, its completions already mean
 *     that the peer's NIC has acknowledged
 * @param lingerMillis how long a connection that we close stays open underneath: the sockets provider acknowledges a message from
 *     a thread of its own, after telling us that it arrived, and a close in between takes the acknowledgement with it
 */
record ProviderTraits(boolean verbs, boolean deliveryComplete, int lingerMillis) {
    /** Of ibv_wc_status: what hardware says of a message that is larger than the receive buffer, and what Soft-RoCE says. */
    private static final int LOC_LEN_ERR = 1;
    private static final int LOC_QP_OP_ERR = 2;

    static ProviderTraits of(String provider) {
        boolean verbs = provider.startsWith("verbs");
        return new ProviderTraits(verbs, !verbs, provider.equals("sockets") ? 50 : 0);
    }

    /** Whether a receive failed because the message is too large; the buffers are ours, so nothing else is wrong with them. */
    boolean isTooLarge(FiError receive) {
        return receive.err() == Fi.FI_ETRUNC || verbs && receive.err() == Fi.FI_EIO
                && (receive.provErrno() == LOC_LEN_ERR || receive.provErrno() == LOC_QP_OP_ERR);
    }
}
