// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.Fi;
import io.reactivenetio.ffm.fabric.FiError;

/**
 * What a provider does differently and does not say in its fi_info.
 *
 * @param verbs whether an FI_EIO carries an ibv_wc_status, and a peer that vanishes is not noticed unless it is sent something
 */
record ProviderTraits(boolean verbs) {
    private static final String REMOVED = "sockets";

    static ProviderTraits of(String provider) {
        return new ProviderTraits(provider.startsWith("verbs"));
    }

    /**
     * Whether a provider is there for others and not for us: sockets, which libfabric 2 no longer has. It crashes, hangs or loses
     * memory when a connection is closed with sends under way.
     */
    static boolean isRefused(String provider) {
        return provider.equalsIgnoreCase(REMOVED); // which is how libfabric compares names
    }

    /**
     * Whether FI_DELIVERY_COMPLETE is to be asked for; verbs does not know it, its completions already mean that the peer's NIC
     * has acknowledged.
     */
    boolean deliveryComplete() {
        return !verbs;
    }

    /** Whether a receive failed because the message is too large; the buffers are ours, so nothing else is wrong with them. */
    boolean isTooLarge(FiError receive) {
        return receive.err() == Fi.FI_ETRUNC || verbs && receive.err() == Fi.FI_EIO
                && (receive.provErrno() == WorkCompletionStatus.LOC_LEN_ERR
                || receive.provErrno() == WorkCompletionStatus.LOC_QP_OP_ERR);
    }

    /** Why an operation failed, in words. */
    String text(FiError failure) {
        return verbs && failure.err() == Fi.FI_EIO ? WorkCompletionStatus.text(failure.provErrno()) : failure.text();
    }
}
