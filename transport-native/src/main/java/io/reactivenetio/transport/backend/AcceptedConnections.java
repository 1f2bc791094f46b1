// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/**
 * The connections that listen endpoints have accepted and that are not over: their number, and how many each peer has, if that is
 * limited. Any thread.
 */
public final class AcceptedConnections {
    private final int mostOfPeer;
    private final AtomicInteger all = new AtomicInteger();
    /** Empty if there is no limit. */
    private final ConcurrentHashMap<Object, Integer> ofPeers = new ConcurrentHashMap<>();

    /** {@code mostOfPeer} is how many one {@link Addresses#peer} may have; Integer.MAX_VALUE if that is not limited. */
    public AcceptedConnections(int mostOfPeer) {
        this.mostOfPeer = mostOfPeer;
    }

    /** How many there are. */
    public int number() {
        return all.get();
    }

    /** How many one peer may have. */
    public int mostOfPeer() {
        return mostOfPeer;
    }

    /** Whether the peer at {@code remote} may have one more beside those that are counted and {@code others}, if that matters. */
    public boolean hasRoomFor(SocketAddress remote, IntSupplier others) {
        return !isLimited(remote)
                || ofPeers.getOrDefault(Addresses.peer(remote), 0) + others.getAsInt() < mostOfPeer;
    }

    /** Counts one more. Returns how many there are. */
    public int add(SocketAddress remote) {
        if (isLimited(remote)) {
            ofPeers.merge(Addresses.peer(remote), 1, Integer::sum);
        }
        return all.incrementAndGet();
    }

    /** One is over, which {@link #add} has counted with the same address. */
    public void remove(SocketAddress remote) {
        if (isLimited(remote)) {
            ofPeers.computeIfPresent(Addresses.peer(remote), (peer, number) -> number == 1 ? null : number - 1);
        }
        all.decrementAndGet();
    }

    /** Nobody is at 0.0.0.0, which stands for an address that is not known. The clients of a Unix socket have none. */
    private boolean isLimited(SocketAddress remote) {
        return mostOfPeer != Integer.MAX_VALUE && remote instanceof InetSocketAddress inet
                && !inet.getAddress().isAnyLocalAddress();
    }
}
