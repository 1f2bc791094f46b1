// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import java.net.SocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Has the TLS handshakes of a peer take turns. A handshake costs the server some milliseconds of a processor, and costs nothing
 * to a peer that sends the same first message over and over. So a peer may have 64 that have not succeeded, and 20 more each
 * second. One that succeeds does not count. Other peers do not notice it. Who has time to spare may let more begin.
 *
 * <p>Of IPv6 the network counts, see {@link Addresses#peer}. Any thread.
 */
public final class HandshakeTurns {
    /** How many may begin at once. Those of a peer that does not stop in the middle succeed after some milliseconds. */
    static final int MOST = 64;
    /** After how long one more may begin. */
    public static final long APART_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    /** Peers that are remembered; beyond that one is forgotten that has begun none for long. */
    static final int PEERS = 1_024;

    private static final class Peer {
        private int open;
        private long since;
    }

    private final LongSupplier nanoTime;
    private final Map<Object, Peer> peers = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, Peer> eldest) {
            return size() > PEERS;
        }
    };

    HandshakeTurns(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Whether a handshake with the peer at {@code address} may begin now. */
    public synchronized boolean begins(SocketAddress address) {
        Object key = Addresses.peer(address);
        Peer before = peers.remove(key);
        Peer peer = before == null ? new Peer() : before;
        peers.put(key, peer); // the last to be forgotten
        long now = nanoTime.getAsLong();
        int forgotten = peer.open == 0 ? 0 : (int) Math.min(peer.open, (now - peer.since) / APART_NANOS);
        peer.open -= forgotten;
        peer.since = peer.open == 0 ? now : peer.since + forgotten * APART_NANOS;
        if (peer.open == MOST) {
            return false;
        }
        peer.open++;
        return true;
    }

    /** One that has begun has succeeded. */
    public synchronized void succeeded(SocketAddress address) {
        Peer peer = peers.get(Addresses.peer(address));
        if (peer != null) {
            peer.open = Math.max(0, peer.open - 1);
        }
    }
}
