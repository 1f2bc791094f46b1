// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.MemoryRegion;
import io.reactivenetio.transport.backend.ThreadSafetyModel;
import io.reactivenetio.transport.base.receive.ReceivePool;
import io.reactivenetio.transport.base.receive.ReceiveShare;
import io.reactivenetio.transport.base.send.EndpointSends;
import io.reactivenetio.transport.base.send.GatherPool;
import io.reactivenetio.transport.base.send.SendPool;
import io.reactivenetio.transport.base.send.Transmitter;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The buffers of one endpoint: its own, which are freed with it, and those that it shares. Any thread may allocate them; all else
 * is the loop's.
 */
final class EndpointBuffers {
    /** The size of the one buffer of an endpoint that receives nothing: without it tcp would not see the peer's end. */
    private static final int WATCHING_BUFFER_SIZE = 64;

    private final BackendContext context;
    private final boolean receiving;
    private final boolean ownsSends;
    private final @Nullable ReceivePool ownReceives;
    private final SendPool sends;
    /** How many send buffers may be this endpoint's; 0 if it has none. */
    private final int sendBuffers;
    private final @Nullable GatherPool gathers;
    private @Nullable ReceivePool receives;
    private @Nullable ReceiveShare share;

    /** Allocates what the parameters ask for. {@code onReceiveFree} as {@link ReceivePool} says. Any thread. */
    EndpointBuffers(BackendContext context, ConnectionParameters parameters, Runnable onReceiveFree) {
        this.context = context;
        boolean safe = context.config().threadSafety() == ThreadSafetyModel.SAFE;
        boolean shared = context.bufferPolicy().sharesReceives(parameters);
        this.receiving = shared || parameters.receiveBuffers() > 0;
        SendPool sharedSends = context.sharedSends();
        this.ownsSends = sharedSends == null;
        this.sendBuffers = sharedSends != null ? sharedSends.slab().slots() : parameters.sendBuffers();
        @Nullable ReceivePool pool = null;
        @Nullable SendPool sendPool = null;
        try {
            pool = shared ? null : new ReceivePool(context.loop(), receiving ? parameters.receiveBufferSize()
                    : WATCHING_BUFFER_SIZE, receiving ? parameters.receiveBuffers() : 1, false, onReceiveFree);
            sendPool = sharedSends != null ? sharedSends : new SendPool(context.loop(), Math.max(1, parameters.sendBufferSize()),
                    parameters.sendBuffers(), context.headroom(), safe, false);
            MemoryRegion region = parameters.region();
            this.gathers = region == null ? null : new GatherPool(parameters, region, context.headroom());
        } catch (RuntimeException | Error e) {
            free(pool, sendPool);
            throw e;
        }
        this.ownReceives = pool;
        this.receives = pool;
        this.sends = sendPool;
    }

    /** The sends of {@code endpoint} from these buffers. If it throws, the buffers are freed. */
    EndpointSends openSends(Transmitter endpoint, boolean freshHandles) {
        try {
            return new EndpointSends(endpoint, freshHandles, context.loop(), sends, sendBuffers, gathers);
        } catch (RuntimeException | Error e) {
            GatherPool zeroCopy = gathers;
            if (zeroCopy != null) {
                zeroCopy.close(new ArrayList<>(0), true);
            }
            free(ownReceives, sends);
            throw e;
        }
    }

    /** Whether it has receive buffers for messages. */
    boolean isReceiving() {
        return receiving;
    }

    /** Where messages arrive. Null before {@link #receiveFrom} where that is shared. */
    @Nullable ReceivePool receives() {
        return receives;
    }

    /** Its part of a pool that it shares; null if it has its own. */
    @Nullable ReceiveShare share() {
        return share;
    }

    /** From here on it receives into a pool that it shares. Loop thread. */
    void receiveFrom(ReceivePool pool, ReceiveShare part) {
        receives = pool;
        share = part;
        pool.join(part);
    }

    /** Frees its own buffers, with the last that is held, and leaves those that it shares. After its sends are closed. */
    void free() {
        free(ownReceives, sends);
        ReceivePool joined = receives;
        ReceiveShare part = share;
        if (joined != null && part != null) {
            joined.leave(part);
        }
    }

    private void free(@Nullable ReceivePool pool, @Nullable SendPool sendPool) {
        if (sendPool != null && ownsSends) {
            sendPool.close();
        }
        if (pool != null) {
            pool.close();
        }
    }
}
