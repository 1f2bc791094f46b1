// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.Fi;
import io.reactivenetio.ffm.FiError;

/**
 * What a provider does differently and does not say in its fi_info.
 *
 * @param verbs whether an FI_EIO carries an ibv_wc_status, and a peer that vanishes is not noticed unless it is sent something
 * @param deliveryComplete whether FI_DELIVERY_COMPLETE is to be asked for; verbs does not know it, its completions already mean
 *     that the peer's NIC has acknowledged
 * @param shutdown whether fi_shutdown may be called. The sockets provider closes the connection's descriptor in fi_shutdown and
 *     once more in fi_close (sock_ep_msg.c, sock_ep_cm_shutdown and sock_ep_cm_process_finalizing): by then it may be anybody's,
 *     another connection's or the JVM's. fi_close alone tells the peer as well
 * @param bindsWithName whether fi_setname binds, and says why it cannot; fi_listen of the sockets provider calls every reason
 *     FI_EINVAL (sock_ep_msg.c, sock_pep_listen)
 * @param connectBlocks whether fi_connect waits until the peer's kernel has answered, which the sockets provider does
 *     (sock_ep_msg.c, sock_ep_cm_connect)
 * @param domainRoom how many operations a domain can bear in all its life, see {@link Domains}
 * @param lingerMillis how long a connection that we close stays open underneath: the sockets provider acknowledges a message from
 *     a thread of its own, after telling us that it arrived, and a close in between takes the acknowledgement with it
 * @param patienceMillis how long the close of a connection waits for its sends to end, where fi_close does not end them: 0 where
 *     it does. The sockets provider frees the transmit side first, and still reads acknowledgements of its sends on the receive
 *     side before it takes that out of its thread's list (1.17, prov/sockets/src/sock_ep.c:707 and :713, sock_progress.c:587):
 *     it follows freed memory. So an endpoint with sends under way is never closed there. They are acknowledged by the peer's
 *     thread, whether the peer receives or not, so that only a peer that is frozen or cut off uses the time up
 * @param sharedReceives whether shared receive contexts work. In those of the sockets provider a message that has arrived in part
 *     when its endpoint is closed stays in the context's list, and its buffer with it, with a pointer to the connection, which
 *     is freed (sock_ep.c:674 and :735, sock_progress.c:2457)
 */
record ProviderTraits(boolean verbs, boolean deliveryComplete, boolean shutdown, boolean bindsWithName, boolean connectBlocks,
        int domainRoom, int lingerMillis, int patienceMillis, boolean sharedReceives) {
    static ProviderTraits of(String provider) {
        boolean sockets = provider.equals("sockets");
        boolean verbs = provider.startsWith("verbs");
        return new ProviderTraits(verbs, !verbs, !sockets, sockets, sockets, sockets ? 128 : Integer.MAX_VALUE, sockets ? 50 : 0,
                sockets ? 2_000 : 0, !sockets);
    }

    /** Whether a receive failed because the message is too large; the buffers are ours, so nothing else is wrong with them. */
    boolean isTooLarge(FiError receive) {
        return receive.err() == Fi.FI_ETRUNC || verbs && receive.err() == Fi.FI_EIO
                && (receive.provErrno() == WorkCompletion.LOC_LEN_ERR || receive.provErrno() == WorkCompletion.LOC_QP_OP_ERR);
    }

    /** Why an operation failed, in words. */
    String text(FiError failure) {
        return verbs && failure.err() == Fi.FI_EIO ? WorkCompletion.text(failure.provErrno()) : failure.text();
    }
}
