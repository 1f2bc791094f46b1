// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.FiEndpoint;
import io.reactivenetio.ffm.fabric.FiInfo;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.GatherList;
import io.reactivenetio.transport.base.send.GatherPool;
import io.reactivenetio.transport.base.send.GatherSlot;
import io.reactivenetio.transport.base.send.SendPool;
import io.reactivenetio.transport.base.send.SendSlot;
import java.lang.foreign.MemorySegment;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The transmit queue of one endpoint: the sends, zero-copy sends and probes that were posted, until their completions are read.
 * What is posted returns 0, or the negated error. Until its completion is read, the provider may read its memory. Confined to the
 * loop.
 */
final class TransmitQueue {
    private final SendPool buffers;
    private final @Nullable GatherPool zeroCopy;
    private final PostedSends sends;
    private final PostedGathers gathers;
    /** Posted, and no completion has been read. */
    private int underWay;

    /** {@code deliveryComplete}: whether the provider tells transmission from delivery. */
    TransmitQueue(SendPool buffers, @Nullable GatherPool zeroCopy, boolean deliveryComplete) {
        this.buffers = buffers;
        this.zeroCopy = zeroCopy;
        this.sends = new PostedSends(buffers, deliveryComplete);
        this.gathers = new PostedGathers(zeroCopy, deliveryComplete);
    }

    /**
     * Begins to post to an endpoint of {@code info}, whose completions are known by {@code owner}, see {@link QueuePlace}.
     * {@code register} makes a memory descriptor.
     */
    void open(FiEndpoint target, FiInfo info, long owner, ToLongFunction<MemorySegment> register) {
        sends.open(target, register.applyAsLong(buffers.slab().memory()), owner);
        GatherPool gathered = zeroCopy;
        if (gathered != null) {
            gathered.limitEntries(Math.clamp(info.txIovLimit(), 1, GatherList.MAX_SPANS));
            gathers.open(target, register.applyAsLong(gathered.headers().memory()),
                    register.applyAsLong(gathered.region().segment()), owner);
        }
    }

    /** The number of sends that may be posted at a time. */
    int size() {
        GatherPool gathered = zeroCopy;
        return buffers.slab().slots() + (gathered == null ? 0 : gathered.slots());
    }

    boolean isEmpty() {
        return underWay == 0;
    }

    int post(SendSlot slot, SendCompletion level) {
        return counted(sends.send(slot, level));
    }

    int post(GatherSlot slot, SendCompletion level) {
        return counted(gathers.send(slot, level));
    }

    int probe(FiEndpoint target) {
        return counted(sends.probe(target));
    }

    private int counted(int result) {
        if (result == 0) {
            underWay++;
        }
        return result;
    }

    /** The key of a buffered send that has completed, or -1 for one of an earlier use of its slot, or of a probe. */
    int sendCompleted(long context) {
        underWay--;
        return sends.completed(context);
    }

    /** The zero-copy send that has completed, or null for one of an earlier use of its slot. */
    @Nullable GatherSlot gatherCompleted(long context) {
        underWay--;
        return gathers.completed(context);
    }

    /** A send or probe has failed. A send stays in flight, and is reported with the closed callback's keys. */
    void failed() {
        underWay--;
    }

    /** Posts nothing more: the endpoint is about to be closed. */
    void stop() {
        sends.stop();
        gathers.stop();
    }
}
