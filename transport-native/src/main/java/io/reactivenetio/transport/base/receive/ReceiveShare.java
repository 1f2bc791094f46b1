// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base.receive;

import io.reactivenetio.memory.FairShare;

/** The part that one endpoint has of a pool of shared receive buffers. Loop thread. */
public final class ReceiveShare {
    private final FairShare.Member member;

    /** The loop runs {@code turn} when the endpoint has waited for a buffer and may try again. */
    public ReceiveShare(Runnable turn) {
        this.member = new FairShare.Member(turn);
    }

    FairShare.Member member() {
        return member;
    }

    /** The number of its buffers: those being filled, and those held by the owners of its messages. */
    public int held() {
        return member.held();
    }
}
