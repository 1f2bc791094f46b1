// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.backend.SendBuffer;
import java.util.List;

/**
 * Lends send buffers to the senders that copy messages into them. A lent buffer is the sender's until the sender hands it back
 * with a message, or releases it. All senders get the same number, so that no sender has messages while it is not its turn.
 * Together they never get all free buffers, so that slow upstreams leave some for senders that come later. When slow upstreams
 * hold all buffers nevertheless, the next sender stages one message at a time. On the loop.
 */
final class BufferLender {
    /** How many send buffers are never lent: they carry what senders have staged. */
    static final int COMMON = 1;
    /**
     * The part of shared buffers that is never lent, one in so many. A connection that holds some is refused the last quarter
     * while others hold none, and would wait for its own idle senders.
     */
    private static final int SHARED_KEPT_PART = 4;
    /**
     * The part of the free shared buffers that one sender gets at most, one in so many, because other connections have
     * senders, too.
     */
    private static final int SHARED_PART = 8;

    private final NetworkBackend backend;
    private final Endpoint endpoint;
    private final NoResources noResources;
    private final int bufferSize;
    private final boolean shared;
    private final int kept;

    /** {@code shared}: the send buffers are other connections' too. */
    BufferLender(NetworkBackend backend, Endpoint endpoint, NoResources noResources, int buffers, int bufferSize,
            boolean shared) {
        this.backend = backend;
        this.endpoint = endpoint;
        this.noResources = noResources;
        this.bufferSize = bufferSize;
        this.shared = shared;
        this.kept = shared ? COMMON + Math.max(1, buffers / SHARED_KEPT_PART) : COMMON;
    }

    /** How many buffers each of the senders may have in hand. */
    int share(List<SendSource> sources) {
        int parts = 1;
        for (int i = 0; i < sources.size(); i++) {
            if (sources.get(i) instanceof CopySender sender && sender.inHand() == 0 && sender.wantsMore()) {
                parts++;
            }
        }
        return Math.max(1, lendable() / Math.max(parts, shared ? SHARED_PART : 2));
    }

    private int lendable() {
        return backend.freeSendBuffers(endpoint) - kept;
    }

    /**
     * Lends {@code sender} buffers until it has {@code share} in hand, and returns how many. {@code alone}: it is the only sender
     * here.
     */
    int lend(CopySender sender, int share, boolean alone) {
        int lendable = lendable();
        int most = Math.min(lendable, share - sender.inHand());
        int given = 0;
        while (given < most) {
            SendBuffer buffer = backend.getBuffer(endpoint);
            if (buffer == null) {
                break;
            }
            sender.reserve(buffer);
            given++;
        }
        if (given == 0 && lendable <= 0) {
            noResources.starve();
            return (shared || !alone) && sender.inHand() == 0 && sender.reserveStaging(bufferSize) ? 1 : 0;
        }
        return given;
    }
}
