// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.FiInfo;
import io.reactivenetio.ffm.fabric.FiSharedReceive;
import io.reactivenetio.memory.Slab;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Durations;
import io.reactivenetio.transport.base.BackendContext;
import io.reactivenetio.transport.base.EndpointBase;
import io.reactivenetio.transport.base.receive.ReceiveShare;
import io.reactivenetio.transport.base.receive.SharedReceivePool;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NetioFabricException;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;

/**
 * Receive buffers that several connections share through a shared receive context, fi_srx_context(3). Any of them can be
 * filled by any peer, so one connection that keeps its messages takes them from the others: if none has been posted for as
 * long as the starvation time-out, the connection that holds most is closed, and what it holds is replaced, once over.
 * Confined to the loop.
 */
final class SharedReceives extends SharedReceivePool<EndpointBase> {
    private final BackendContext backend;
    private final LoopDomain domain;
    private final FiSharedReceive context;
    private final PostedReceives slots;
    private boolean checkScheduled;
    private boolean closed;
    private boolean empty;
    private long emptySince;

    SharedReceives(BackendContext backend, LoopDomain domain, FiInfo info, ConnectionParameters parameters) {
        super(backend.loop(), backend.bufferPolicy().receives(parameters));
        this.backend = backend;
        this.domain = domain;
        try {
            this.context = domain.domain().openSharedReceiveContext(info);
        } catch (RuntimeException e) {
            pool().close();
            throw e;
        }
        this.slots = new PostedReceives(pool());
        try {
            slots.open(context, domain.registrations().acquire(pool().blocks().getFirst().memory()));
        } catch (RuntimeException e) {
            close(); // or the domain could never be closed
            throw e;
        }
    }

    FiSharedReceive context() {
        return context;
    }

    PostedReceives slots() {
        return slots;
    }

    @Override
    protected void join(EndpointBase endpoint) {
        super.join(endpoint);
        checkPosted(); // what it needs, others may have taken before
    }

    /** Posts the buffers that have become free. */
    @Override
    protected void onFree() {
        post();
        checkPosted();
        domain.queues().sharedReceivePosted();
    }

    private void post() {
        int result = slots.post();
        if (result != 0) {
            for (EndpointBase user : new ArrayList<>(users())) {
                user.close(new NetioFabricException(user.handle() + ": " + domain.text(result), -result));
            }
        }
    }

    /** When something has changed: notes since when no buffer is left. */
    void checkPosted() {
        if (slots.posted() > 0 || users().size() < 2) {
            empty = false;
        } else if (!empty) {
            empty = true;
            emptySince = System.nanoTime();
            checkAfter(timeout());
        }
    }

    private void checkAfter(long nanos) {
        if (!checkScheduled && !closed) {
            checkScheduled = backend.after(nanos, TimeUnit.NANOSECONDS, this::checkStarvation) != null;
        }
    }

    private long timeout() {
        return Durations.nanos(backend.config().starvationTimeout());
    }

    private void checkStarvation() {
        checkScheduled = false;
        if (closed || !empty) {
            return;
        }
        long left = timeout() - (System.nanoTime() - emptySince);
        if (left > 0) {
            checkAfter(left);
            return;
        }
        empty = false; // if nobody is to blame now, somebody may be when another has joined
        ReceiveShare holder = pool().largestHolder();
        if (holder != null) {
            evict(holder);
        }
    }

    private void evict(ReceiveShare holder) {
        int held = holder.held();
        for (EndpointBase user : new ArrayList<>(users())) {
            if (user.share() == holder) {
                user.close(new NetioException(user.handle() + " holds " + held + " of the " + pool().slots()
                        + " shared receive buffers, and for " + Durations.millis(backend.config().starvationTimeout())
                        + " ms nobody has received anything: release messages sooner, or share more buffers"));
            }
        }
        if (pool().replace(held, block -> slots.addBlock(block, domain.registrations().acquire(block.memory())))) {
            onFree();
        }
    }

    @Override
    protected void close() {
        closed = true;
        slots.stop();
        context.close();
        for (Slab block : pool().blocks()) {
            domain.registrations().release(block.memory());
        }
        super.close();
    }
}
