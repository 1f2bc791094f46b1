// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

/** The status of a verbs work completion, ibv_poll_cq(3), in words: libfabric calls them all FI_EIO. */
final class WorkCompletionStatus {
    /** What hardware says of a message that is larger than the receive buffer, and what Soft-RoCE says. */
    static final int LOC_LEN_ERR = 1;
    static final int LOC_QP_OP_ERR = 2;

    private WorkCompletionStatus() {
    }

    /** The reason, and what it comes from where that is known. */
    static String text(int status) {
        return switch (status) {
            case LOC_LEN_ERR -> "local length error: a message and the buffer for it do not fit";
            case LOC_QP_OP_ERR -> "local queue pair operation error";
            case 4 -> "local protection error: a buffer is not registered where it was used";
            case 5 -> "flushed: the connection had failed before";
            case 7 -> "bad response";
            case 8 -> "local access error";
            case 9 -> "remote invalid request: the peer's buffer is too small for the message, or its connection is broken";
            case 10 -> "remote access error";
            case 11 -> "remote operation error: the peer could not receive the message";
            case 12 -> "transport retry counter exceeded: the peer or the way to it is gone, no try was acknowledged";
            case 13 -> "receiver-not-ready retry counter exceeded: the peer posts no receive buffers";
            case 16 -> "aborted by the peer";
            case 19 -> "fatal error of the network card";
            case 20 -> "response timed out";
            case 21 -> "general transport error";
            default -> "a status this library has no words for";
        } + " (work completion status " + status + ")";
    }
}
