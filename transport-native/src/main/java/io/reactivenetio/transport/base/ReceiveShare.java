// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

/** What one endpoint has of a pool of receive buffers that several share. Loop thread. */
public final class ReceiveShare {
    private final EndpointBase endpoint;
    private final Ration.Member member;

    /** {@code turn} is run when it has waited for a buffer and may try again. */
    public ReceiveShare(EndpointBase endpoint, Runnable turn) {
        this.endpoint = endpoint;
        this.member = new Ration.Member(turn);
    }

    public EndpointBase endpoint() {
        return endpoint;
    }

    Ration.Member member() {
        return member;
    }

    /** Buffers it has: being filled, or held by the owners of its messages. */
    public int held() {
        return member.held();
    }
}
